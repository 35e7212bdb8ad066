package invoicepages_test

import (
	"bytes"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer/customercases"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/proof/proxy"
	"onlyonce/internal/site/sitetest"
)

// clients returns the commands of the programs in docs/api-client, by name.
func clients(t *testing.T) map[string][]string {
	t.Helper()
	sitetest.LeaveToWalks(t)
	built := filepath.Join(t.TempDir(), "client")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", built, "../../../docs/api-client").CombinedOutput()
	must.Thatf(t, err == nil, "%v: %s", err, out)
	return map[string][]string{
		"create.sh":  {"sh", "../../../docs/api-client/create.sh"},
		"create.mjs": {"node", "../../../docs/api-client/create.mjs"},
		"main.go":    {built},
	}
}

// generatedClients returns the commands of the programs in docs/invoice-clients, whose clients are generated from the API's description.
func generatedClients(t *testing.T) map[string][]string {
	t.Helper()
	b := sitetest.Setup(t)
	description := b.Stranger(b.Replica).Get("/openapi.json").Body
	build := func(name string, commands ...string) string {
		dir := filepath.Join(t.TempDir(), name)
		must.OK(t, os.CopyFS(dir, os.DirFS("../../../docs/invoice-clients/"+name)))
		must.OK(t, os.WriteFile(filepath.Join(dir, "openapi.json"), []byte(description), 0o600))
		for _, command := range commands {
			args := strings.Fields(command)
			cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=", "GOWORK=off")
			out, err := cmd.CombinedOutput()
			must.Thatf(t, err == nil, "%s: %v: %s", command, err, out)
		}
		return dir
	}
	return map[string][]string{
		"Go":         {filepath.Join(build("go", "go generate .", "go build -o client ."), "client")},
		"TypeScript": {"node", filepath.Join(build("typescript", "npm ci --no-audit --no-fund", "npm run build"), "built/create.js")},
	}
}

// TestClientsCreateOnce loses the first answer after the commit, answers the second request with 503, and the third one with
// "in progress". Each program gets the invoice in the end, and exactly one exists.
func TestClientsCreateOnce(t *testing.T) {
	pgtest.Long(t)
	t.Parallel()
	for name, command := range clients(t) {
		t.Run(name, func(t *testing.T) { createsOnce(t, command) })
	}
}

// TestClientsTakeNoForAnAnswer checks that a final refusal isn't retried.
func TestClientsTakeNoForAnAnswer(t *testing.T) {
	t.Parallel()
	for name, command := range clients(t) {
		t.Run(name, func(t *testing.T) { takesNo(t, command) })
	}
}

// TestGeneratedClients checks both for the clients that are generated from the API's description.
func TestGeneratedClients(t *testing.T) {
	pgtest.Long(t)
	for name, command := range generatedClients(t) {
		t.Run(name+" creates once", func(t *testing.T) { createsOnce(t, command) })
		t.Run(name+" takes no for an answer", func(t *testing.T) { takesNo(t, command) })
	}
}

func createsOnce(t *testing.T, command []string) {
	t.Helper()
	b := sitetest.Setup(t)
	far, requests := faulty(b)
	out, code := run(b, far, b.Acme.Token, command, exampleInvoice)
	must.Thatf(t, code == 0, "exit %d: %s", code, out)
	id := sitetest.Decode[sitetest.Created](b, sitetest.Answer{Body: out}).ID
	stored := sitetest.Get[string](b, `SELECT id::text FROM invoices`)
	assert.Thatf(t, stored == id && requests.Load() == 4, "got %s, and there is %s, after %d requests", id, stored, requests.Load())
	b.WantOutcomes("created", "replayed")
}

func takesNo(t *testing.T, command []string) {
	t.Helper()
	b := sitetest.Setup(t)
	var requests atomic.Int32
	counted := b.Listen(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		b.Handler.ServeHTTP(w, r)
	}))
	out, code := run(b, counted, "none", command, exampleInvoice)
	assert.Thatf(t, code == 1 && strings.Contains(out, "/problems/unauthorized") && requests.Load() == 1,
		"exit %d after %d requests: %s", code, requests.Load(), out)
}

// TestClientsDecideWhoIsMeant: a customer with the email of the invoice has another name. The answer names that customer, and
// the same key can be used with either of the two.
func TestClientsDecideWhoIsMeant(t *testing.T) {
	t.Parallel()
	const sent = `{"email": "ada@example.com", "name": "Ada Lovelace"}`
	example := must.Read(t, exampleInvoice)
	for name, client := range clients(t) {
		for meant, way := range map[string][2]string{
			"Alpha Ltd":    {`"customer": ` + sent, `"customer_id": "%s"`},
			"Ada Lovelace": {sent, `{"email": "ada@example.com", "name": "Ada Lovelace", "same_email": true}`},
		} {
			t.Run(name+"/"+meant, func(t *testing.T) {
				b := sitetest.Setup(t)
				command := sitetest.Change(customercases.Customers().Command, "email", "ada@example.com", "name", "Alpha Ltd")
				known := b.Prepared(b.Acme, "known", customercases.Customers(), command).ID
				out, code := run(b, b.URL, b.Acme.Token, client, exampleInvoice)
				must.Thatf(t, code == 1 && strings.Contains(out, "/problems/customer-differs") && strings.Contains(out, known),
					"exit %d: %s", code, out)
				decided := filepath.Join(t.TempDir(), "invoice.json")
				instead := strings.ReplaceAll(way[1], "%s", known)
				must.OK(t, os.WriteFile(decided, []byte(strings.Replace(example, way[0], instead, 1)), 0o600))
				out, code = run(b, b.URL, b.Acme.Token, client, decided)
				if code != 0 || sitetest.Get[string](b, `SELECT name FROM customers c JOIN invoices i ON c.id = customer_id`) != meant {
					t.Errorf("exit %d: %s", code, out)
				}
			})
		}
	}
}

// faulty returns the address of a proxy that loses the first answer after the commit, and answers the next two requests itself.
func faulty(b *sitetest.Bundle) (address string, requests *atomic.Int32) {
	b.Helper()
	target, err := url.Parse(b.URL)
	must.OK(b, err)
	through := httputil.NewSingleHostReverseProxy(target)
	requests = &atomic.Int32{}
	front, err := url.Parse(b.Listen(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var status int
		var body string
		switch requests.Add(1) {
		case 2:
			status, body = http.StatusServiceUnavailable, `{"type": "/problems/busy"}`
		case 3:
			status, body = http.StatusConflict, `{"type": "/problems/in-progress"}`
		default:
			through.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	})))
	must.OK(b, err)
	wire := b.Wire("tcp", front.Host)
	wire.Arm(proxy.Cut{Point: proxy.BeforeAnswer})
	return "http://" + wire.Addr(), requests
}

const exampleInvoice = "../../../docs/api-client/invoice.json"

// run runs a program until it exits, and returns its output.
func run(b *sitetest.Bundle, address, token string, command []string, invoice string) (out string, code int) {
	b.Helper()
	args := slices.Concat(command[1:], []string{sitetest.Key, invoice})
	cmd := exec.CommandContext(b.Context(), command[0], args...)
	cmd.Env = append(os.Environ(), "ONLYONCE_URL="+address, "ONLYONCE_TOKEN="+token)
	var said, wrong bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &wrong
	err := cmd.Run()
	must.Thatf(b, err == nil || cmd.ProcessState != nil, "%v", err)
	if code = cmd.ProcessState.ExitCode(); code != 0 {
		return said.String() + wrong.String(), code
	}
	return said.String(), code
}
