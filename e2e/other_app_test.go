package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
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

func TestDescriptionsAreChecked(t *testing.T) {
	onlyHere(t, "it is about the suite itself")
	t.Parallel()
	const form = `"form": {"path": "/new", "fields": [{"label": "Title", "text": "Desk {mark}"}], "button": "Save"}`
	const list = `"count": {"page": "/", "record": "li"}`
	for name, c := range map[string]struct{ text, want string }{
		"complete":           {`{"address": "http://localhost:80", ` + form + `, ` + list + `}`, ""},
		"an unknown field":   {`{"url": "http://localhost"}`, "url"},
		"HTTPS":              {`{"address": "https://localhost", ` + form + `, ` + list + `}`, "address"},
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
