package e2e

import (
	"encoding/pem"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"onlyonce/e2e/servers"
)

// TestOtherApp tries all incidents on the app that the file in APP describes, and prints the verdicts. Without APP
// there is nothing to try.
func TestOtherApp(t *testing.T) {
	onlyHere(t, "it is about another app")
	t.Parallel()
	file := os.Getenv("APP")
	if file == "" {
		return
	}
	app, err := readTarget(file)
	if err != nil {
		t.Fatal(err)
	}
	found := app.try(t, incidents())
	for name, v := range found {
		if !v.good() {
			t.Errorf("%s: %s %s", name, v, v.saw)
		}
	}
	fmt.Fprintf(os.Stdout, "\n%s\n", table([]string{app.Name}, map[string]map[string]verdict{app.Name: found}))
}

// TestMakeTriesAnotherApp runs make e2e APP=... against a little server with a certificate of its own. In place of go test
// make finds this program, so that nothing is built twice.
func TestMakeTriesAnotherApp(t *testing.T) {
	onlyHere(t, "it is about the suite itself")
	onlyInChromium(t, "some are done over its debugger")
	t.Parallel()
	server := httptest.NewTLSServer(servers.New(servers.Button))
	t.Cleanup(server.Close)
	directory := t.TempDir()
	program, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	little, err := os.ReadFile("apps/little.json")
	if err != nil {
		t.Fatal(err)
	}
	block := pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}
	for name, text := range map[string]string{
		"app.json":        strings.Replace(string(little), "http://127.0.0.1:8090", server.URL, 1),
		"certificate.pem": string(pem.EncodeToMemory(&block)),
		"go": `#!/bin/sh
[ "$1" = test ] || exec '` + program + `' "$@"
while [ "$1" != -run ]; do shift; done
cd e2e && exec '` + os.Args[0] + `' -test.v -test.run "$2"
`,
	} {
		if err := os.WriteFile(filepath.Join(directory, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	suite := exec.CommandContext(t.Context(), "make", "e2e", "APP="+directory+"/app.json", "RUN=somebody clicks twice",
		"BASE_URL=https://staging.example.com") // which is none of its concern
	suite.Dir = ".."
	suite.Env = append(os.Environ(), "PATH="+directory+":"+os.Getenv("PATH"), "SSL_CERT_FILE="+directory+"/certificate.pem",
		"MAKEFLAGS=", "E2E_REPORT=")
	output, err := suite.CombinedOutput()
	if err == nil {
		t.Error("a server that creates twice passes")
	}
	for _, want := range []string{
		"--- PASS: TestOtherApp/somebody_clicks_twice ", "| tabs | two tabs of one form are sent at the same instant | – |",
		"| fingers | somebody clicks twice | one record |", "| no JavaScript | somebody clicks twice, without JavaScript | ✗ 2 records |",
	} {
		if !strings.Contains(string(output), want) {
			t.Errorf("make does not say %q:\n%s", want, output)
		}
	}
}

func TestDescriptionsAreChecked(t *testing.T) {
	onlyHere(t, "it is about the suite itself")
	t.Parallel()
	const form = `"form": {"path": "/new", "fields": [{"label": "Title", "text": "Desk {mark}"}], "button": "Save"}`
	const list = `"count": {"page": "/", "record": "li"}`
	for name, c := range map[string]struct{ text, want string }{
		"complete":           {`{"address": "http://localhost:80", ` + form + `, ` + list + `}`, ""},
		"an unknown field":   {`{"url": "http://localhost"}`, "url"},
		"HTTPS":              {`{"address": "https://localhost", ` + form + `, ` + list + `}`, ""},
		"no HTTP":            {`{"address": "ftp://localhost", ` + form + `, ` + list + `}`, "address"},
		"a path":             {`{"address": "http://localhost/app", ` + form + `, ` + list + `}`, "address"},
		"no mark":            {`{"address": "http://localhost", "form": {"path": "/new", "button": "Save"}, ` + list + `}`, "{mark}"},
		"nothing to count":   {`{"address": "http://localhost", ` + form + `}`, "count"},
		"no record on pages": {`{"address": "http://localhost", ` + form + `, "count": {"page": "/"}}`, "count.record"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "app.json")
			if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := readTarget(file)
			if (c.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
