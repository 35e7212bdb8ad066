package peoplepages_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/site/sitetest"
)

func everyInstallation(b *sitetest.Bundle) map[string][]sitetest.Request {
	admin := b.InstallationAdmin(b.Replica, b.Acme)
	job := sitetest.Get[string](b, `SELECT min(id)::text FROM river.river_job WHERE state = 'retryable'`)
	retry := sitetest.Request{What: "retry", Want: http.StatusSeeOther, Send: func() sitetest.Answer {
		return admin.Submit("/installation/jobs/"+job+"/retry", url.Values{"attempt": {"1"}})
	}}
	const tenants, people, jobs = "/installation?limit=100", "/installation/people?limit=100", "/installation/jobs?limit=100"
	const now = "2026-11-28T00:00:00Z"
	return map[string][]sitetest.Request{
		"GET /installation": sitetest.Gets(admin, tenants,
			sitetest.At(tenants, now, sitetest.RowID(2000), false), sitetest.At(tenants, now, sitetest.RowID(2000), true)),
		"GET /installation/people": sitetest.Gets(admin, people, people+"&q=7", people+"&q=01900000-0000",
			sitetest.At(people, "", "7@people.example", false), sitetest.At(people, "", "7@people.example", true)),
		"GET /installation/jobs": sitetest.Gets(admin, jobs,
			sitetest.At(jobs, "default", "1 "+now+" 7", false), sitetest.At(jobs, "default", "1 "+now+" 7", true)),
		"POST /installation/jobs/{id}/retry": {retry, retry},
	}
}

// TestInstallation: an admin sees tenants, users and failed jobs, and tries a job again. The form of the button, sent again and in other
// variants, changes nothing more.
func TestInstallation(t *testing.T) {
	b := sitetest.Setup(t)
	admin := b.InstallationAdmin(b.Replica, b.Acme)
	b.Page(admin.Get("/installation/jobs")).Says("No job has failed")
	b.Exec(`UPDATE tenants SET demo = true WHERE id = $1`, b.Globex.ID)
	b.Exec(`UPDATE users SET disabled_at = now() WHERE email = $1`, b.Member(b.Globex).Email)
	b.Exec(`
		INSERT INTO river.river_job (id, kind, args, max_attempts, attempt, state, errors, finalized_at)
		VALUES (7, 'nightly', '{}', 3, 3, 'discarded', ARRAY['{"error": "it broke\nwith a secret"}']::jsonb[], now()),
			(8, 'link_mail', jsonb_build_object('tenant', $1::uuid), 25, 10, 'cancelled', ARRAY['{"error": "can''t"}']::jsonb[], now()),
			(9, 'done', '{}', 25, 1, 'completed', NULL, now())`, b.Globex.ID)
	b.Page(admin.Get("/installation")).Says("Acme Command 2", "Globex Demo 2")
	b.Page(admin.Get("/installation/people")).Says(b.Acme.Email, "Read-only, admin", "Member, disabled")
	found := b.Page(admin.Get("/installation/people?q=" + strings.ToUpper(b.Globex.Email[:30]))).Says(b.Globex.Email)
	assert.Thatf(t, !strings.Contains(found.Text(), b.Acme.Email), "found too many: %s", found.Text())
	b.Page(admin.Get("/installation/people?q=nobody")).Says("No people found")
	twice := b.Page(admin.Get("/installation/people?q=a&q=b")).Says("Use q only once.").Text()
	assert.Thatf(t, !strings.Contains(twice, "No people"), "found none, although it didn't search: %s", twice)
	jobs := b.Page(admin.Get("/installation/jobs")).Says("nightly 7 Failed: it broke 3 of 3", "link_mail 8, Globex Email not sent 10 of 25")
	if said := jobs.Text(); strings.Contains(said, "secret") || strings.Contains(said, "done 9") || strings.Count(said, "Try again") != 2 {
		t.Errorf("shows too much: %s", said) // the panel of the form lock has a button with the same text
	}
	form, state := formOn(admin, "/installation/jobs", "Try again"), `SELECT state || ' ' || max_attempts FROM river.river_job WHERE id = 7`
	for i, c := range []struct {
		path   string
		form   url.Values
		status int
		text   string
		state  string
	}{
		{"7", url.Values{"attempt": {"x"}}, http.StatusNotFound, "", "discarded 3"},
		{"x", form, http.StatusNotFound, "", "discarded 3"},
		{"7", sitetest.Change(form, "attempt", "2"), http.StatusSeeOther, "Nothing was changed", "discarded 3"},
		{"8", sitetest.Change(form, "attempt", "10"), http.StatusSeeOther, "Nothing was changed", "discarded 3"},
		{"7", sitetest.Change(form, "tenant", b.Globex.ID.String()), http.StatusConflict, "", "discarded 3"},
		{"7", form, http.StatusSeeOther, "The job is being tried again.", "available 4"},
		{"7", form, http.StatusSeeOther, "Nothing was changed", "available 4"},
	} {
		a := admin.Submit("/installation/jobs/"+c.path+"/retry", c.form)
		is := sitetest.Get[string](b, state)
		assert.Thatf(t, a.Status == c.status && is == c.state, "%d: %s, %v", i, is, a)
		if c.text != "" {
			b.Page(admin.Get(a.Location())).Says(c.text)
		}
	}
}
