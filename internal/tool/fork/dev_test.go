package fork_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/proof/replica"
	"onlyonce/internal/tool/fork"
	"onlyonce/internal/tool/scratch"
)

// TestMakeDev changes a template, Go and a style of a copy, and sees each without a manual restart. A compile error doesn't end
// it, and Ctrl-C ends all of its processes.
func TestMakeDev(t *testing.T) {
	pgtest.Long(t)
	t.Parallel()
	s := scratch.Copy(t, "../../..")
	// The rest compiles in half the time. It has fewer migrations, so it needs a new database.
	db := pgtest.New(t)
	db.Spoil(t)
	must.Exec(t, db.Pool, "DROP SCHEMA public, river CASCADE; CREATE SCHEMA public")
	if _, err := fork.Remove(t.Context(), s.Dir, "invoices"); err != nil && !errors.Is(err, fork.ErrNothingToDo) {
		t.Fatal(err)
	}
	app, err := replica.FreePort(t.Context())
	must.OK(t, err)
	pages, err := replica.FreePort(t.Context())
	must.OK(t, err)
	said := filepath.Join(t.TempDir(), "said")
	output, err := os.Create(said)
	must.OK(t, err)
	defer output.Close()
	_, port, _ := strings.Cut(pages, ":")
	dev := exec.Command("make", "dev", "ADDR="+app, "PAGES="+port)
	dev.Dir, dev.Stdout, dev.Stderr = s.Dir, output, output
	dev.Env = append(os.Environ(), "DATABASE_URL="+db.URL, "TEMPL_DEV_MODE_ROOT="+t.TempDir())
	dev.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a process group, like a terminal's, to interrupt all of them
	must.OK(t, dev.Start())
	stop := func() {
		_ = syscall.Kill(-dev.Process.Pid, syscall.SIGINT)
		_ = dev.Wait() // an error, because make was interrupted
	}
	defer func() {
		if dev.ProcessState == nil {
			stop()
		}
		if t.Failed() {
			t.Log(must.Read(t, said))
		}
	}()
	client := &http.Client{Timeout: 5 * time.Second} // the proxy waits for an app that starts
	get := func(path string) (http.Header, string) {
		response, err := client.Get("http://" + pages + path)
		if err != nil {
			return nil, ""
		}
		defer response.Body.Close()
		body, _ := io.ReadAll(response.Body) // the app may have been stopped
		return response.Header, string(body)
	}
	login := func() string { _, body := get("/login"); return body }
	style := regexp.MustCompile(`/static/app\.[0-9a-f]+\.css`)
	change := func(file, old, changed string) {
		t.Helper()
		text := must.Read(t, filepath.Join(s.Dir, file))
		must.Thatf(t, strings.Contains(text, old), "%s has no %q", file, old)
		s.Write(file, strings.Replace(text, old, changed, 1), 0o600)
	}

	until(t, "the login", func() bool { return strings.Contains(login(), "<h1>Log in</h1>") })
	header, body := get("/login")
	if policy := header.Get("Content-Security-Policy"); !strings.Contains(policy, "script-src 'self'") ||
		!strings.Contains(policy, "connect-src 'self'") || !strings.Contains(body, `<script src="/_templ/reload/script.js">`) {
		t.Errorf("the page cannot be loaded again: %s\n%s", policy, body)
	}
	change("templates/peopleviews/login.templ", "<h1>Log in</h1>", "<h1>Log in here</h1>")
	until(t, "the text", func() bool { return strings.Contains(login(), "<h1>Log in here</h1>") })

	// A file that few packages import, so that little is compiled again.
	const ready, broken, changed = `is ready: %s\n`, `is ready: %s\n" + undefined + "`, `is there: %s\n`
	change("internal/app/banner.go", ready, broken)
	until(t, "the error", func() bool { return strings.Contains(must.Read(t, said), "undefined: undefined") })
	change("static/app.css", "", "/* changed */\n")
	change("internal/app/banner.go", broken, changed)
	until(t, "what Go says", func() bool { return strings.Contains(must.Read(t, said), "is there: http://"+pages) })
	until(t, "the style", func() bool {
		_, body := get(style.FindString(login()))
		return strings.HasPrefix(body, "/* changed */")
	})
	s.Run("go", "tool", "templ", "generate", "-check") // the generated files are ready to be committed

	stop()
	until(t, "the app's end", func() bool {
		listener, err := net.Listen("tcp", app)
		return err == nil && listener.Close() == nil
	})
}

// until waits until holds. The time limit allows for a build and a start.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	over := time.After(5 * time.Minute)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-over:
			t.Fatalf("no sign of %s", what)
		}
	}
}
