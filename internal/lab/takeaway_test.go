package lab

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/server"
	"onlyonce/internal/proof/replica"
)

// TestTakeawaysAreThere checks that each file, function and line of a takeaway is in this repository.
func TestTakeawaysAreThere(t *testing.T) {
	t.Parallel()
	for _, e := range Experiments() {
		assert.Thatf(t, e.Takeaway.Curl != "" && e.Takeaway.SQL != "" && len(e.Takeaway.Code) == len(e.Layers),
			"%s: %+v is not complete", e.Slug, e.Takeaway)
		for _, c := range append(e.Takeaway.Code, e.Takeaway.Scenario) {
			content, err := os.ReadFile(filepath.Join("../..", c.File))
			if err != nil {
				t.Errorf("%s: %v", e.Slug, err)
				continue
			}
			begins := regexp.QuoteMeta(c.Func)
			if filepath.Ext(c.File) == ".go" {
				begins = `(?m)^func (\([^)]*\) )?` + begins + `[\[(]`
			}
			at := regexp.MustCompile(begins).FindIndex(content)
			if at == nil || c.Lines == "" || !bytes.Contains(content[bytes.LastIndexByte(content[:at[0]], '\n')+1:], []byte(c.Lines)) {
				t.Errorf("%s: %s has no %s with\n%s", e.Slug, c.File, c.Func, c.Lines)
			}
		}
	}
}

// TestCurl runs the commands of each takeaway against the demo.
func TestCurl(t *testing.T) {
	t.Parallel()
	addr := startDemo(t)
	for _, e := range Experiments() {
		t.Run(e.Slug, func(t *testing.T) {
			t.Parallel()
			shell := strings.ReplaceAll(e.Takeaway.Curl, "127.0.0.1:8080", addr)
			shell = strings.ReplaceAll(shell, "KEY=lab-", "KEY=lab-"+e.Slug) // they run in the same second
			out, err := exec.CommandContext(t.Context(), "/bin/sh", "-c", shell).CombinedOutput()
			must.Thatf(t, err == nil, "%v\n%s", err, out)
			want := map[string]int{"same-number": 1, "two-edits": 1, "pay-twice": 1, "upload": 1}[e.Slug]
			refused := len(regexp.MustCompile(`(?m)^HTTP/1.1 (409|412)`).FindAll(out, -1))
			assert.Thatf(t, refused == want, "%d were refused, want %d:\n%s", refused, want, out)
			places := map[string]bool{}
			made := regexp.MustCompile(`(?mi)^(Location: .*/(invoices|payments|periods|sign-ups|attachments)/\S+|"paid": ?"41.00")\r?$`)
			for _, place := range made.FindAllString(string(out), -1) {
				places[place] = true
			}
			assert.Thatf(t, e.Slug == "two-edits" || len(places) == 1, "made %d things:\n%s", len(places), out)
		})
	}
}

func startDemo(t *testing.T) string {
	t.Helper()
	l := sharedLab(t)
	must.OK(t, l.warm(t.Context()))
	t.Cleanup(l.release)
	name, err := l.site.cluster.clone(t.Context())
	must.OK(t, err)
	addr, err := replica.FreePort(t.Context())
	must.OK(t, err)
	r := &replica.Replica{
		Program: l.config.Program, Args: []string{"serve"}, Addr: addr, Group: l.site.leash.Group, Log: filepath.Join(t.TempDir(), "log"),
		Env: []string{
			"PATH=" + os.Getenv("PATH"), "ADDR=" + addr, "METRICS_ADDR=off", "DEMO=1",
			"DATABASE_URL=" + server.URL(l.site.cluster.dir, server.Role, name), "SECRET_KEY=" + random(),
		},
	}
	t.Cleanup(func() { _ = r.End(context.Background(), syscall.SIGKILL) })
	must.OK(t, r.Revive(t.Context()))
	return addr
}
