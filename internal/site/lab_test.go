package site_test

import (
	"bufio"
	"context"
	"encoding/xml"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/lab"
	"onlyonce/internal/lab/labpages"
	"onlyonce/internal/postgres/pgtest"
	processes "onlyonce/internal/proof/replica"
	"onlyonce/internal/web"
	"onlyonce/templates"
)

// labPages returns the pages of a lab that is closed when the test ends.
func labPages(t *testing.T, c lab.Config) []func(*web.Site) {
	t.Helper()
	c.Log = slog.New(slog.NewTextHandler(t.Output(), nil))
	made, err := lab.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := made.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return []func(*web.Site){func(s *web.Site) { labpages.Mount(s, made) }}
}

// withLab adds the pages of a lab that starts no run to a server.
func withLab(t *testing.T) func(*config) {
	t.Helper()
	pages := labPages(t, lab.Config{})
	return func(c *config) { c.pages = pages }
}

// visitors are people of a demo tenant at a server with a lab, each with another browser.
type visitors struct {
	*bundle

	site *replica
}

// demo makes acme a tenant of the demo, at a server with a lab.
func (b *bundle) demo(c lab.Config) visitors {
	b.Helper()
	return visitors{b, b.serve(b.asDemo, func(config *config) { config.pages = labPages(b.T, c) })}
}

func (v visitors) visitor() *client {
	v.Helper()
	return v.person(v.site, v.acme)
}

func TestLabIsForTheDemoOnly(t *testing.T) {
	b := setup(t, withLab(t))
	v := b.demo(lab.Config{})
	without := b.serve(func(c *config) { c.pages, c.people.Demo = nil, []templates.DemoLogin{{}} })
	for who, c := range map[string]struct {
		caller *client
		status int
	}{
		"visitor":                         {v.visitor(), http.StatusOK},
		"somebody of no demo tenant":      {b.person(v.site, b.globex), http.StatusNotFound},
		"visitor of a server without one": {b.person(without, b.acme), http.StatusNotFound},
	} {
		a := c.caller.get("/lab")
		if a.status != c.status {
			t.Errorf("%s: %v", who, a)
		}
		items := all(all(b.page(c.caller.get("/customers")).root, "nav")[0], "a")
		if first := text(items[0]); (first == "Try to break it") != (c.status == http.StatusOK) {
			t.Errorf("%s: the navigation begins with %q", who, first)
		}
	}
}

// TestLabAsksFirst: each experiment is listed, and has a page with its question, the possible guesses and the protections that
// can be removed.
func TestLabAsksFirst(t *testing.T) {
	b := setup(t, withLab(t))
	visitor := b.demo(lab.Config{}).visitor()
	list := b.page(visitor.get("/lab"))
	for _, e := range lab.Experiments() {
		list.says(e.Title, e.Story).leadsTo("/lab/" + e.Slug)
		asked := b.page(visitor.get("/lab/" + e.Slug + "?without=" + e.Layers[0].Slug))
		asked.says(strings.TrimSuffix(e.Question, "?"), strings.Join(strings.Fields(e.Takeaway.SQL), " "))
		guesses, layers := asked.controls("guess"), asked.controls("without")
		if len(guesses) != len(e.Guesses) || len(layers) != len(e.Layers) || uuid.Validate(asked.typed().Get("run")) != nil {
			t.Errorf("%s: form %v with %d guesses and %d layers", e.Slug, asked.typed(), len(guesses), len(layers))
		}
		for _, n := range all(asked.form(), "input") {
			value, _ := attr(n, "value")
			if _, checked := attr(n, "checked"); checked != (value == e.Layers[0].Slug) {
				t.Errorf("%s: %s is checked: %v", e.Slug, value, checked)
			}
		}
	}
	const none = "/lab/runs/" + key
	for _, nowhere := range []string{"/lab/nothing", "/lab/runs/x", none, none + "/events", none + "/picture.svg"} {
		if a := visitor.get(nowhere); a.status != http.StatusNotFound {
			t.Errorf("%s: %v", nowhere, a)
		}
	}
	for _, run := range []string{"", "x"} {
		if a := visitor.submit("/lab/five-clicks", url.Values{"run": {run}}); a.status != http.StatusBadRequest {
			t.Errorf("run %q: %v", run, a)
		}
	}
}

// TestLabRuns runs an experiment from the form to the picture, which is visible to its visitor only.
func TestLabRuns(t *testing.T) {
	pgtest.Long(t)
	b := setup(t, withLab(t))
	program, err := processes.Build(t.Context(), t.TempDir(), "onlyonce/cmd/server")
	if err != nil {
		t.Fatal(err)
	}
	v := b.demo(lab.Config{Program: program})
	visitor, other := v.visitor(), v.visitor()
	before := b.everything()
	form := url.Values{"run": {key}, "guess": {"5"}, "sent": {"1"}, "without": {"intent", "nothing"}}
	run := visitor.submit("/lab/five-clicks", form).location()
	if again := visitor.submit("/lab/five-clicks", form).location(); run == "" || again != run {
		t.Errorf("sent again, the form leads to %q, and first to %q", again, run)
	}
	refused := visitor.submit("/lab/two-tabs", url.Values{"run": {uuid.NewString()}})
	if refused.status != http.StatusTooManyRequests {
		t.Errorf("a second run: %v", refused)
	}
	b.page(refused).says("still running").leadsTo("/lab/two-tabs")
	path, guess, _ := strings.Cut(run, "?")
	for _, part := range []string{"", "/events", "/picture.svg"} {
		if a := other.get(path + part); a.status != http.StatusNotFound {
			t.Errorf("another visitor sees %s: %v", part, a)
		}
	}
	if a := other.submit("/lab/five-clicks", form); a.status != http.StatusNotFound {
		t.Errorf("another visitor has the run for theirs: %v", a)
	}

	events := visitor.follow(path + "/events?" + guess)
	if len(events) < 3 || !strings.Contains(events[len(events)-1], "You said 5. Without the intent it was 1.") {
		t.Errorf("%d events, at last %q", len(events), events[len(events)-1:])
	}
	b.page(visitor.get(run)).says("Wrong", "5 attempts, 1 invoice", "The form lock stopped 4.", "€123.00", "SELECT number", "2026-0001")
	picture := visitor.get(path + "/picture.svg")
	if err := xml.Unmarshal([]byte(picture.body), new(struct{})); err != nil || picture.header.Get("Content-Type") != "image/svg+xml" {
		t.Errorf("%v: %v", err, picture)
	}

	more := b.page(visitor.get(run))
	next := visitor.pressAny(more, "Also without the form lock").location()
	visitor.follow(next + "/events")
	b.page(visitor.get(next)).says("5 attempts, 5 invoices", "€615.00 instead of €123.00", "Nothing stopped any of them.").
		leadsTo("/lab/five-clicks?without=form-lock&without=intent")

	id := strings.TrimPrefix(path, "/lab/runs/")
	for _, route := range v.site.Routes {
		if !strings.HasPrefix(route.Path, "/lab") || route.Repeat != web.Read {
			continue
		}
		address := strings.NewReplacer("{experiment}", "five-clicks", "{id}", id, "{step}", "1").Replace(route.Path)
		if a := visitor.get(address); a.status != http.StatusOK {
			t.Errorf("%v", a)
		}
	}
	wantUnchanged(b, "a run, and reading about it,", before, b.everything())
}

// follow reads the events of a run until the last one.
func (c *client) follow(path string) (events []string) {
	c.b.Helper()
	for range 10 { // each answer lasts at most 10 seconds
		request, err := http.NewRequestWithContext(c.b.Context(), http.MethodGet, c.url+path, http.NoBody)
		if err != nil {
			c.b.Fatal(err)
		}
		request.Header.Set("Accept-Encoding", "gzip")
		response, err := c.http.Do(request)
		if err != nil {
			c.b.Fatal(err)
		}
		defer response.Body.Close()
		if kind := response.Header.Get("Content-Type"); kind != "text/event-stream" || response.Header.Get("Content-Encoding") != "" {
			c.b.Fatalf("%s: %d %v", path, response.StatusCode, response.Header)
		}
		lines := bufio.NewScanner(response.Body)
		lines.Buffer(nil, 1<<20)
		event, data := "", ""
		for lines.Scan() {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "event":
				event = value
			case "data":
				data += value + "\n"
			case "":
				events, data = append(events, data), ""
				if event == "over" {
					return events
				}
			}
		}
	}
	c.b.Fatalf("%s: not over after %d events", path, len(events))
	return nil
}

// TestLabRefuses: a refusal has the reason and a next step. The app keeps working.
func TestLabRefuses(t *testing.T) {
	pgtest.Long(t)
	b := setup(t, withLab(t))
	form := func() url.Values { return url.Values{"run": {uuid.NewString()}} }

	full := b.demo(lab.Config{Program: "/nowhere", Room: 1 << 62}).visitor()
	refused := full.submit("/lab/two-tabs", form())
	if refused.status != http.StatusServiceUnavailable {
		t.Errorf("without room: %v", refused)
	}
	b.page(refused).says("MB free").leadsTo("/lab")
	if a := full.get("/customers"); a.status != http.StatusOK {
		t.Errorf("the app does not go on: %v", a)
	}

	broken := b.demo(lab.Config{Program: "/nowhere"}).visitor()
	run := broken.submit("/lab/two-tabs", form()).location()
	broken.follow(run + "/events")
	b.page(broken.get(run)).says("This run failed", "Please try again")
	if a := broken.get(run + "/picture.svg"); a.status != http.StatusNotFound {
		t.Errorf("a picture of nothing: %v", a)
	}
}
