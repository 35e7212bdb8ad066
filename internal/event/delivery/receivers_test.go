package delivery_test

import (
	"bufio"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/event/delivery"
	"onlyonce/internal/event/endpoint"
	"onlyonce/internal/must"
)

// TestReceivers checks that the programs in docs/event-receivers verify the deliveries, act once for each event, and refuse a request
// without a signature.
func TestReceivers(t *testing.T) {
	for name, c := range map[string]struct{ build, run []string }{
		"go":   {[]string{"go", "build", "-o", "receiver", "."}, []string{"./receiver", "127.0.0.1:0"}},
		"node": {[]string{"npm", "ci", "--no-audit", "--no-fund"}, []string{"node", "receiver.mjs", "0"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t, "customer.")
			dir := filepath.Join(t.TempDir(), name)
			must.OK(t, os.CopyFS(dir, os.DirFS("../../../docs/event-receivers/"+name)))
			command := func(args []string) *exec.Cmd {
				cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
				cmd.Dir, cmd.Stderr = dir, os.Stderr
				cmd.Env = append(os.Environ(), "GOFLAGS=", "ENDPOINT_SECRET="+endpoint.Secret(b.config.Key, b.Tenant, b.endpoint))
				return cmd
			}
			must.OK(t, command(c.build).Run())
			program := command(c.run)
			out, err := program.StdoutPipe()
			must.OK(t, err)
			must.OK(t, program.Start())
			t.Cleanup(func() { _ = program.Wait() }) // the test's context has ended
			lines := bufio.NewScanner(out)
			line := func() string {
				must.Thatf(t, lines.Scan(), "the program ended: %v", lines.Err())
				return lines.Text()
			}
			address := "http://" + line()
			b.Exec(`UPDATE endpoints SET address = $1`, address)

			ada := b.customer("ada", 0)
			b.work(delivery.NewWorker(b.config))
			assert.Equal(t, b.only().State, endpoint.StateDelivered)
			_, err = endpoint.Resend.Do(t.Context(), b.Store, b.Of("resend", b.only().ID, 0), struct{}{})
			must.OK(t, err)
			b.work(delivery.NewWorker(b.config))
			assert.Equal(t, b.only().State, endpoint.StateDelivered)
			refused, err := http.Post(address, "application/json", strings.NewReader(`{"id": "forged"}`))
			must.OK(t, err)
			must.OK(t, refused.Body.Close())
			assert.Equal(t, refused.StatusCode, http.StatusBadRequest)
			grace := b.customer("grace", 0)
			b.work(delivery.NewWorker(b.config))
			for _, id := range []string{ada.String(), grace.String()} {
				assert.Equal(t, line(), "customer.upsert "+id)
			}
		})
	}
}
