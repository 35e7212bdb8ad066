package labpages_test

import (
	"bufio"
	"encoding/xml"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/assert"
	"onlyonce/internal/lab"
	"onlyonce/internal/lab/labcases"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	processes "onlyonce/internal/proof/replica"
	"onlyonce/internal/site/sitetest"
	"onlyonce/internal/web"
	"onlyonce/templates"
)

// visitors are people of a demo tenant at a server with a lab, each with another browser.
type visitors struct {
	*sitetest.Bundle

	site *sitetest.Replica
}

// demo makes acme a tenant of the demo, at a server with a lab.
func demo(b *sitetest.Bundle, c lab.Config) visitors {
	b.Helper()
	return visitors{b, b.Serve(asDemo(b), func(config *sitetest.Config) { config.Pages = labcases.Pages(b.T, c) })}
}

func (v visitors) visitor() *sitetest.Client {
	v.Helper()
	return v.Person(v.site, v.Acme)
}

func TestLabIsForTheDemoOnly(t *testing.T) {
	b := sitetest.Setup(t, labcases.WithLab(t))
	v := demo(b, lab.Config{})
	without := b.Serve(func(c *sitetest.Config) { c.Pages, c.People.Demo = nil, []templates.DemoLogin{{}} })
	for who, c := range map[string]struct {
		caller *sitetest.Client
		status int
	}{
		"visitor":                         {v.visitor(), http.StatusOK},
		"somebody of no demo tenant":      {b.Person(v.site, b.Globex), http.StatusNotFound},
		"visitor of a server without one": {b.Person(without, b.Acme), http.StatusNotFound},
	} {
		a := c.caller.Get("/lab")
		assert.Thatf(t, a.Status == c.status, "%s: %v", who, a)
		items := sitetest.Elements(sitetest.Elements(b.Page(c.caller.Get("/customers")).Root, "nav")[0], "a")
		first := sitetest.Text(items[0])
		assert.Thatf(t, (first == "Try to break it") == (c.status == http.StatusOK), "%s: the navigation begins with %q", who, first)
	}
}

// TestLabAsksFirst: each experiment is listed, and has a page with its question, the possible guesses and the protections that
// can be removed.
func TestLabAsksFirst(t *testing.T) {
	b := sitetest.Setup(t, labcases.WithLab(t))
	visitor := demo(b, lab.Config{}).visitor()
	list := b.Page(visitor.Get("/lab"))
	for _, e := range lab.Experiments() {
		list.Says(e.Title, e.Story).LeadsTo("/lab/" + e.Slug)
		asked := b.Page(visitor.Get("/lab/" + e.Slug + "?without=" + e.Layers[0].Slug))
		asked.Says(strings.TrimSuffix(e.Question, "?"), strings.Join(strings.Fields(e.Takeaway.SQL), " "))
		guesses, layers := asked.Controls("guess"), asked.Controls("without")
		assert.Thatf(t, len(guesses) == len(e.Guesses) && len(layers) == len(e.Layers) && uuid.Validate(asked.Typed().Get("run")) == nil,
			"%s: form %v with %d guesses and %d layers", e.Slug, asked.Typed(), len(guesses), len(layers))
		for _, n := range sitetest.Elements(asked.Form(), "input") {
			value, _ := sitetest.Attr(n, "value")
			_, checked := sitetest.Attr(n, "checked")
			assert.Thatf(t, checked == (value == e.Layers[0].Slug), "%s: %s is checked: %v", e.Slug, value, checked)
		}
	}
	const none = "/lab/runs/" + sitetest.Key
	for _, nowhere := range []string{"/lab/nothing", "/lab/runs/x", none, none + "/events", none + "/picture.svg"} {
		a := visitor.Get(nowhere)
		assert.Thatf(t, a.Status == http.StatusNotFound, "%s: %v", nowhere, a)
	}
	for _, run := range []string{"", "x"} {
		a := visitor.Submit("/lab/five-clicks", url.Values{"run": {run}})
		assert.Thatf(t, a.Status == http.StatusBadRequest, "run %q: %v", run, a)
	}
}

// TestLabRuns runs an experiment from the form to the picture, which is visible to its visitor only.
func TestLabRuns(t *testing.T) {
	pgtest.Long(t)
	b := sitetest.Setup(t, labcases.WithLab(t))
	program, err := processes.Build(t.Context(), t.TempDir(), "onlyonce/cmd/server")
	must.OK(t, err)
	v := demo(b, lab.Config{Program: program})
	visitor, other := v.visitor(), v.visitor()
	before := b.Everything()
	form := url.Values{"run": {sitetest.Key}, "guess": {"5"}, "sent": {"1"}, "without": {"intent", "nothing"}}
	run := visitor.Submit("/lab/five-clicks", form).Location()
	again := visitor.Submit("/lab/five-clicks", form).Location()
	assert.Thatf(t, run != "" && again == run, "sent again, the form leads to %q, and first to %q", again, run)
	refused := visitor.Submit("/lab/two-tabs", url.Values{"run": {uuid.NewString()}})
	assert.Thatf(t, refused.Status == http.StatusTooManyRequests, "a second run: %v", refused)
	b.Page(refused).Says("still running").LeadsTo("/lab/two-tabs")
	path, guess, _ := strings.Cut(run, "?")
	for _, part := range []string{"", "/events", "/picture.svg"} {
		a := other.Get(path + part)
		assert.Thatf(t, a.Status == http.StatusNotFound, "another visitor sees %s: %v", part, a)
	}
	if a := other.Submit("/lab/five-clicks", form); a.Status != http.StatusNotFound {
		t.Errorf("another visitor has the run for theirs: %v", a)
	}

	events := follow(visitor, path+"/events?"+guess)
	if len(events) < 3 || !strings.Contains(events[len(events)-1], "You said 5. Without the intent it was 1.") {
		t.Errorf("%d events, at last %q", len(events), events[len(events)-1:])
	}
	b.Page(visitor.Get(run)).Says("Wrong", "5 attempts, 1 invoice", "The form lock stopped 4.", "€123.00", "SELECT number", "2026-0001")
	picture := visitor.Get(path + "/picture.svg")
	if err := xml.Unmarshal([]byte(picture.Body), new(struct{})); err != nil || picture.Header.Get("Content-Type") != "image/svg+xml" {
		t.Errorf("%v: %v", err, picture)
	}

	more := b.Page(visitor.Get(run))
	next := visitor.PressAny(more, "Also without the form lock").Location()
	follow(visitor, next+"/events")
	b.Page(visitor.Get(next)).Says("5 attempts, 5 invoices", "€615.00 instead of €123.00", "Nothing stopped any of them.").
		LeadsTo("/lab/five-clicks?without=form-lock&without=intent")

	id := strings.TrimPrefix(path, "/lab/runs/")
	for _, route := range v.site.Routes {
		if !strings.HasPrefix(route.Path, "/lab") || route.Repeat != web.Read {
			continue
		}
		address := strings.NewReplacer("{experiment}", "five-clicks", "{id}", id, "{step}", "1").Replace(route.Path)
		a := visitor.Get(address)
		assert.Thatf(t, a.Status == http.StatusOK, "%v", a)
	}
	sitetest.WantUnchanged(b, "a run, and reading about it,", before, b.Everything())
}

// follow reads the events of a run until the last one.
func follow(c *sitetest.Client, path string) (events []string) {
	c.B.Helper()
	for range 10 { // each answer lasts at most 10 seconds
		request, err := http.NewRequestWithContext(c.B.Context(), http.MethodGet, c.URL+path, http.NoBody)
		must.Thatf(c.B, err == nil, "%v", err)
		request.Header.Set("Accept-Encoding", "gzip")
		response, err := c.HTTP.Do(request)
		must.Thatf(c.B, err == nil, "%v", err)
		defer response.Body.Close()
		if kind := response.Header.Get("Content-Type"); kind != "text/event-stream" || response.Header.Get("Content-Encoding") != "" {
			c.B.Fatalf("%s: %d %v", path, response.StatusCode, response.Header)
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
	c.B.Fatalf("%s: not over after %d events", path, len(events))
	return nil
}

// TestLabRefuses: a refusal has the reason and a next step. The app keeps working.
func TestLabRefuses(t *testing.T) {
	pgtest.Long(t)
	b := sitetest.Setup(t, labcases.WithLab(t))
	form := func() url.Values { return url.Values{"run": {uuid.NewString()}} }

	full := demo(b, lab.Config{Program: "/nowhere", Room: 1 << 62}).visitor()
	refused := full.Submit("/lab/two-tabs", form())
	assert.Thatf(t, refused.Status == http.StatusServiceUnavailable, "without room: %v", refused)
	b.Page(refused).Says("MB free").LeadsTo("/lab")
	if a := full.Get("/customers"); a.Status != http.StatusOK {
		t.Errorf("the app does not go on: %v", a)
	}

	broken := demo(b, lab.Config{Program: "/nowhere"}).visitor()
	run := broken.Submit("/lab/two-tabs", form()).Location()
	follow(broken, run+"/events")
	b.Page(broken.Get(run)).Says("This run failed", "Please try again")
	if a := broken.Get(run + "/picture.svg"); a.Status != http.StatusNotFound {
		t.Errorf("a picture of nothing: %v", a)
	}
}

func TestMain(m *testing.M) { sitetest.Main(m) }
