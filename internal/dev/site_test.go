package dev

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// serving gives a site, and its address, before an app that answers with a page.
func serving(t *testing.T) (*Site, string) {
	t.Helper()
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "script-src 'self'")
		_, _ = io.WriteString(w, "<!doctype html><p>"+r.Host+"</p>")
	}))
	t.Cleanup(app.Close)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "app.css"), []byte("p {}"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := NewSite(dir)
	front := httptest.NewServer(s)
	t.Cleanup(front.Close)
	at, err := url.Parse(app.URL)
	if err != nil {
		t.Fatal(err)
	}
	s.Serve(at.Host)
	return s, front.URL
}

func get(t *testing.T, address string) (status int, header http.Header, body string) {
	t.Helper()
	response, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header, string(text)
}

func TestPagesGetTheScriptAndKeepTheirPolicy(t *testing.T) {
	t.Parallel()
	s, address := serving(t)
	s.Reload()
	status, header, body := get(t, address+"/login")
	want := "<!doctype html><p>" + strings.TrimPrefix(address, "http://") + "</p>" +
		`<script src="/_dev/page.js" data-version="1"></script>`
	if status != http.StatusOK || body != want {
		t.Errorf("%d %s, want %s", status, body, want)
	}
	if policy := header.Get("Content-Security-Policy"); policy != "script-src 'self'" {
		t.Errorf("the policy is %q", policy)
	}
	if status, header, body := get(t, address+scriptPath); status != http.StatusOK || body != string(script) ||
		!strings.HasPrefix(header.Get("Content-Type"), "text/javascript") {
		t.Errorf("the script is %d %s", status, header)
	}
}

func TestAssetsAreThoseOfTheDisk(t *testing.T) {
	t.Parallel()
	_, address := serving(t)
	status, header, body := get(t, address+"/static/app.01234567.css")
	if status != http.StatusOK || body != "p {}" || header.Get("Cache-Control") != "no-store" {
		t.Errorf("%d %s %s", status, header, body)
	}
	if status, _, _ := get(t, address+"/static/..%2Fsite.01234567.go"); status == http.StatusOK {
		t.Error("a file elsewhere is served")
	}
}

func TestWithoutAnAppThePageSaysSo(t *testing.T) {
	t.Parallel()
	front := httptest.NewServer(NewSite(t.TempDir()))
	defer front.Close()
	status, _, body := get(t, front.URL)
	if status != http.StatusServiceUnavailable || !strings.Contains(body, "being built") || !strings.Contains(body, scriptPath) {
		t.Errorf("%d %s", status, body)
	}
}

func TestPagesAreToldOfChanges(t *testing.T) {
	t.Parallel()
	s, address := serving(t)
	response, err := http.Get(address + eventsPath)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	told := bufio.NewReader(response.Body)
	next := func(want string) {
		t.Helper()
		got, err := told.ReadString('\n')
		_, _ = told.ReadString('\n')
		if err != nil || got != "data: "+want+"\n" {
			t.Errorf("told %q, %v, want %s", got, err, want)
		}
	}
	next(`{"version":0,"wrong":""}`)
	s.Reload()
	next(`{"version":1,"wrong":""}`)
	s.Fail("syntax error")
	next(`{"version":1,"wrong":"syntax error"}`)
	s.Reload()
	next(`{"version":2,"wrong":""}`)
}
