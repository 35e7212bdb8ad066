package labpages_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/lab/labcases"
	"onlyonce/internal/must"
	"onlyonce/internal/site/sitecases"
	"onlyonce/internal/site/sitetest"
)

// whileDemo runs do while acme is a demo tenant with its first password, which restricts it otherwise.
func whileDemo(b *sitetest.Bundle, do func()) {
	var generation int
	err := b.DB.Admin().QueryRow(b.Context(), `SELECT session_generation FROM users WHERE email = $1`, b.Acme.Email).Scan(&generation)
	must.OK(b, err)
	set := func(demo bool, generation int) {
		b.Exec(`UPDATE tenants SET demo = $2 WHERE id = $1`, b.Acme.ID, demo)
		b.Exec(`UPDATE users SET session_generation = $2 WHERE email = $1`, b.Acme.Email, generation)
	}
	set(true, 0)
	do()
	set(false, generation)
}

func TestPlans(t *testing.T) {
	sitetest.Plans(t, sitetest.Plan{
		Room: "internal/lab/", Settings: []func(*sitetest.Config){sitetest.WithDemo, labcases.WithLab(t)},
		Requests: func(b *sitetest.Bundle, _, _ *sitetest.Client) map[string][]sitetest.Request { return everyLab(b) },
	}, sitecases.Resources(), sitecases.Grow)
}

// everyLab returns the requests of the lab. No run begins, because runs use another database.
func everyLab(b *sitetest.Bundle) map[string][]sitetest.Request {
	var visitor *sitetest.Client
	whileDemo(b, func() { visitor = b.Person(b.Replica, b.Acme) })
	asked := func(want int, ask func() sitetest.Answer) []sitetest.Request {
		return []sitetest.Request{{What: "a visitor", Want: want, Send: func() (a sitetest.Answer) {
			whileDemo(b, func() { a = ask() })
			return a
		}}}
	}
	get := func(want int, path string) []sitetest.Request {
		return asked(want, func() sitetest.Answer { return visitor.Get(path) })
	}
	post := func(want int, path, name, value string) []sitetest.Request {
		return asked(want, func() sitetest.Answer { return visitor.Submit(path, url.Values{name: {value}}) })
	}
	run := "/lab/runs/" + uuid.NewString()
	return map[string][]sitetest.Request{
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
