package site_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/google/uuid"

	"onlyonce/templates"
)

// withDemo turns on the demo of a server.
func withDemo(c *config) { c.people.Demo = []templates.DemoLogin{{}} }

// whileDemo runs do while acme is a demo tenant with its first password, which restricts it otherwise.
func (b *bundle) whileDemo(do func()) {
	var generation int
	err := b.db.Admin().QueryRow(b.Context(), `SELECT session_generation FROM users WHERE email = $1`, b.acme.email).Scan(&generation)
	if err != nil {
		b.Fatal(err)
	}
	set := func(demo bool, generation int) {
		b.exec(`UPDATE tenants SET demo = $2 WHERE id = $1`, b.acme.id, demo)
		b.exec(`UPDATE users SET session_generation = $2 WHERE email = $1`, b.acme.email, generation)
	}
	set(true, 0)
	do()
	set(false, generation)
}

func TestLabPlans(t *testing.T) {
	plansOf(t, plan{
		room: "internal/lab/", settings: []func(*config){withDemo, withLab(t)},
		requests: func(b *bundle, _, _ *client) map[string][]request { return b.everyLab() },
	}, resources(), growAll)
}

// everyLab returns the requests of the lab. No run begins, because runs use another database.
func (b *bundle) everyLab() map[string][]request {
	var visitor *client
	b.whileDemo(func() { visitor = b.person(b.replica, b.acme) })
	asked := func(want int, ask func() answer) []request {
		return []request{{"a visitor", want, func() (a answer) {
			b.whileDemo(func() { a = ask() })
			return a
		}}}
	}
	get := func(want int, path string) []request {
		return asked(want, func() answer { return visitor.get(path) })
	}
	post := func(want int, path, name, value string) []request {
		return asked(want, func() answer { return visitor.submit(path, url.Values{name: {value}}) })
	}
	run := "/lab/runs/" + uuid.NewString()
	return map[string][]request{
		"GET /lab":                       get(http.StatusOK, "/lab"),
		"GET /lab/{experiment}":          get(http.StatusOK, "/lab/fifty"),
		"POST /lab/{experiment}":         post(http.StatusBadRequest, "/lab/fifty", "run", "none"),
		"GET /lab/runs/{id}":             get(http.StatusNotFound, run),
		"GET /lab/runs/{id}/events":      get(http.StatusNotFound, run+"/events"),
		"GET /lab/runs/{id}/picture.svg": get(http.StatusNotFound, run+"/picture.svg"),
		"GET /lab/yourself":              get(http.StatusOK, "/lab/yourself"),
		"POST /lab/yourself":             post(http.StatusSeeOther, "/lab/yourself", "slow", "off"),
		"GET /lab/tour/{step}":           get(http.StatusOK, "/lab/tour/1"),
		"POST /lab/tour/{step}":          post(http.StatusSeeOther, "/lab/tour/end", "step", "1"),
	}
}
