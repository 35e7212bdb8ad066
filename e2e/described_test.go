package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"onlyonce/e2e/servers"
	"onlyonce/internal/assert"
	"onlyonce/internal/must"
)

// TestDescriptionIsTriedFirst checks that no incident is tried if the description does not fit the app, and that the error names
// the mismatch.
func TestDescriptionIsTriedFirst(t *testing.T) {
	onlyHere(t, "it is about the suite itself")
	t.Parallel()
	described := must.Read(t, "apps/little.json")
	for name, c := range map[string]struct{ old, new, want string }{
		"no such field": {`"Title", "text": "Desk`, `"Titel", "text": "Desk`, `is called "Titel": the nearest are ["Title" "Note"]`},
		"a field that is left out": {
			`Title", "text": "Desk {mark}"}],`, `Note", "text": "Desk {mark}"}], "path": "/expenses/new"}, "banner": "Accept all", "form": {
				"path": "/expenses/new", "fields": [{"label": "Note", "text": "{mark}"}],`,
			"the browser does not send the form: Title is required and empty",
		},
		"a banner":    {"", "", "over the button Save lies <div id=cookies> We value your privacy. Accept all"},
		"no variable": {`"Desk`, `"$NEVER_SET Desk`, "the variable $NEVER_SET is not set"},
		"no such record": {
			`"record": "li"}`, `"record": "tr"}, "banner": "Accept all"`,
			`"tr" selects nothing with the text "E2E`,
		},
		"no such page": {`/expenses/new`, `/expenses/0`, "your app answers 404 Not Found at /expenses/0"},
		"no such app":  {`"http://127.0.0.1:8090"`, `"http://127.0.0.1:1"`, "nothing answers at http://127.0.0.1:1: "},
		"another path": {
			`"form": {`, `"banner": "Accept all", "posted_to": "/desk", "form": {`, "the page sends POST /expenses, without E2E",
		},
		"a command that fails": {
			`"count": {"page": "/expenses", "record": "li"}`, `"banner": "Accept all", "count": {"command": ["ls", "/no such file"]}`,
			"count the records: ls /no such file: exit status 2: ls: cannot access '/no such file'",
		},
		"a login that refuses": {
			"\"form\": {\n    \"path\": \"/expenses/new\"",
			`"login": {"path": "/wizard", "fields": [{"label": "Title", "text": "a"}], "button": "Next"}, "form": {"path": "/private"`,
			"the login did not work: /private leads to /wizard; after the login, /expenses/new?title=a has the text \"New expense ",
		},
		"no such incident": {`"form": {`, `"banner": "Accept all", "form": {`, `no incident has a name that matches "double click"`},
		"a banner after a login": { // any form that leads to the page may be a login
			`"form": {`, `"login": {"path": "/wizard", "fields": [{"label": "Title", "text": "ada"}], "button": "Next"}, "form": {`,
			"over the button Save lies <div id=cookies> We value your privacy. Accept all",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			little := servers.New(servers.Button, servers.Banner)
			little.Handle("GET /private", http.RedirectHandler("/wizard?back_url=/private", http.StatusSeeOther))
			server := httptest.NewServer(little)
			t.Cleanup(server.Close)
			file := filepath.Join(t.TempDir(), "app.json")
			text := strings.NewReplacer("http://127.0.0.1:8090", server.URL, c.old, c.new).Replace(described)
			must.OK(t, os.WriteFile(file, []byte(text), 0o600))
			suite := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.run=TestOtherApp$//^(the description$|double click)")
			suite.Env = append(os.Environ(), "APP="+file, "RUN=double click", "E2E_OUTPUT="+t.TempDir(), "E2E_REPORT=")
			output, err := suite.CombinedOutput()
			if goesOn := strings.Contains(string(output), "no incident"); err == nil ||
				!strings.Contains(string(output), c.want) || goesOn != (name == "no such incident") {
				t.Errorf("%v, and the output has no %q, or more incidents:\n%s", err, c.want, output)
			}
		})
	}
}

// TestNamesOfControls checks that fields can be named by their visible text.
func TestNamesOfControls(t *testing.T) {
	t.Parallel()
	var all []control
	err := json.Unmarshal([]byte(`[
		{"id": 1, "names": [{"by": "label", "text": "Username:"}, {"by": "name", "text": "login"}]},
		{"id": 2, "names": [{"by": "label", "text": "E-mail *"}, {"by": "placeholder", "text": "Title"}]},
		{"id": 3, "names": [{"by": "label", "text": "title"}, {"by": "role", "text": "textbox"}]},
		{"id": 4, "names": [{"by": "label", "text": "Title"}]}]`), &all)
	must.OK(t, err)
	for name, want := range map[string]int{
		"Username": 1, "username :": 1, "LOGIN": 1, "E-mail": 2, "Title": 4, "TITLE": 3, "textbox": 3, "Phone": -1,
	} {
		id, by := named(all, name)
		assert.Thatf(t, id == want, "%q is the control %d by its %s, want %d", name, id, by, want)
	}
	got := nearest(all, "Usernam")
	assert.Thatf(t, strings.HasPrefix(got, `the nearest are ["Username:"`), "%v", got)
}

// TestDraftFits checks that the draft for a small server behind a login is a valid description, or names the missing part of the
// login. A login in several steps is not taken for the form.
func TestDraftFits(t *testing.T) {
	onlyHere(t, "it is about the suite itself")
	t.Parallel()
	little := servers.New(servers.Button, servers.Usual)
	little.HandleFunc("GET /add", func(w http.ResponseWriter, r *http.Request) {
		r.URL.Path = "/expenses/new" // so the list is not above the form
		little.ServeHTTP(w, r)
	})
	code := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/login/code" {
			http.Redirect(w, r, "/login/code", http.StatusSeeOther)
		}
		fmt.Fprint(w, `<!doctype html><form><label>Code: <input name="code" required></label> <button>Next</button></form>`)
	})
	const byHand = ": describe login, with first if it has several steps, by hand"
	for _, c := range []struct {
		app            http.Handler
		path, password string
		want           string
	}{
		{behindLogin(little), "/add", "correct", "it fits: one record"},
		{behindLogin(little), "/add", "wrong", "/add still asks for a password after the login with APP_USER and APP_PASSWORD"},
		{behindLogin(little), "/add", "", "/add needs a login: set APP_USER and APP_PASSWORD"},
		{behindLogin(code), "/add", "correct", "/add leads to /login/code" + byHand},
		{servers.New(servers.Button, servers.Guarded), "/expenses/new", "correct", "/expenses/new leads to /login" + byHand},
	} {
		t.Run(c.want, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(c.app)
			t.Cleanup(server.Close)
			fits := strings.HasPrefix(c.want, "it fits")
			output := t.TempDir()
			suite := func(test, about string) (said string, err error) {
				run := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.run="+test)
				run.Env = append(os.Environ(), about, "APP_USER=ada", "APP_PASSWORD="+c.password, "E2E_OUTPUT="+output, "E2E_REPORT=")
				text, err := run.CombinedOutput()
				return string(text), err
			}
			said, err := suite("TestDraft$", "DRAFT="+server.URL+c.path)
			if err == nil {
				said, err = suite("TestOtherApp$//^the description$", "APP="+output+"/app.json")
			}
			text, _ := os.ReadFile(output + "/app.json")
			if lists := strings.Contains(string(text), `"page": "/expenses",`); lists != fits || strings.Contains(string(text), "Note") {
				t.Errorf("the draft has a field that is not required, or not the list:\n%s", text)
			}
			assert.Thatf(t, (err == nil) == fits && strings.Contains(said, c.want), "%v, and the output has no %q:\n%s", err, c.want, said)
		})
	}
}

// behindLogin shows an app to Ada only, and the login to all others.
func behindLogin(app http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := r.Cookie("ada")
		switch {
		case r.FormValue("user") == "ada" && r.FormValue("password") == "correct":
			http.SetCookie(w, &http.Cookie{Name: "ada", Path: "/"})
			http.Redirect(w, r, "/expenses", http.StatusSeeOther)
		case err != nil:
			fmt.Fprint(w, `<!doctype html><form method="post" action="/login"><label>Name: <input name="user"></label>
				<label>Password: <input type="password" name="password"></label> <button>Log in</button></form>`)
		default:
			app.ServeHTTP(w, r)
		}
	})
}

// TestSchemaOfDescriptions checks that the schema for editors has the same fields as the suite.
func TestSchemaOfDescriptions(t *testing.T) {
	t.Parallel()
	schema, err := jsonschema.NewCompiler().Compile("apps/app.schema.json")
	must.OK(t, err)
	others, err := filepath.Glob("apps/*/app.json")
	must.OK(t, err)
	ours, err := filepath.Glob("apps/*.json") // including the schema, which is not a description
	must.Thatf(t, err == nil && slices.Contains(ours, "apps/little.json"), "%q, %v", ours, err)
	for _, name := range append(others, ours...) {
		if name == "apps/app.schema.json" {
			continue
		}
		file, err := os.Open(name)
		must.OK(t, err)
		described, err := jsonschema.UnmarshalJSON(file)
		if err == nil {
			err = schema.Validate(described)
		}
		if err := file.Close(); err != nil {
			t.Error(err)
		}
		assert.Thatf(t, err == nil, "%s: %v", name, err)
	}
	app := schema.Ref
	for part, of := range map[*jsonschema.Schema]reflect.Type{
		app:                        reflect.TypeFor[target](),
		app.Properties["count"]:    reflect.TypeFor[count](),
		app.Properties["session"]:  reflect.TypeFor[given](),
		app.Properties["form"].Ref: reflect.TypeFor[form](),
		app.Properties["edit"].Ref: reflect.TypeFor[field](),
	} {
		known := 0
		for one := range of.Fields() {
			name, _, _ := strings.Cut(one.Tag.Get("json"), ",")
			if name == "" {
				continue
			}
			known++
			assert.Thatf(t, part.Properties[name] != nil, "%s has %s, which the schema does not", of, name)
		}
		assert.Thatf(t, known == len(part.Properties), "the schema has %d fields of %s, want %d", len(part.Properties), of, known)
	}
}
