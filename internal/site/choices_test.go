package site_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer"
	"onlyonce/internal/site/sitetest"
	"onlyonce/internal/web"
	"onlyonce/templates"
)

// mountVisits mounts the form of a resource that refers to customers. Nothing is created.
func mountVisits(s *web.Site) {
	m := web.Resource[customer.Customer]{One: "visit", Path: "/visits", Table: customer.Table, Name: customer.Name}.Mount(s)
	web.Enter(m, web.PlainForm([]web.PlainField[customer.Customer]{
		{Name: "note", Label: "Note"},
		{Name: "customer_id", Label: "Customer", Kind: templates.Offered, Names: customer.Names},
	}))
	web.Redisplay(m, nil)
}

// TestChoices: a field for a reference offers the newest records, and finds every other one that isn't archived: while the user types, and
// without JavaScript by showing the form again, with all typed values and the chosen record.
func TestChoices(t *testing.T) {
	b := sitetest.Setup(t, func(c *sitetest.Config) { c.Pages = append(c.Pages, mountVisits) })
	person := b.Person(b.Replica, b.Acme)
	for _, of := range []sitetest.Tenant{b.Globex, b.Acme} {
		b.Exec(`
			INSERT INTO customers (tenant_id, id, name, archived_at)
			SELECT $1, ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
				CASE n WHEN 1 THEN 'First' WHEN 2 THEN 'Gone' ELSE 'Old ' || n END, CASE n WHEN 2 THEN now() END
			FROM generate_series(1, 250) AS n`, of.ID)
	}
	theirs := sitetest.RowID(300)
	b.Exec(`INSERT INTO customers (tenant_id, id, name) VALUES ($1, $2, 'Secret')`, b.Globex.ID, theirs)
	oldest, archived, newest := sitetest.RowID(1), sitetest.RowID(2), sitetest.RowID(250)

	for name, c := range map[string]struct {
		chosen, search string
		offered        map[string]string // names by id
		left           []string
	}{
		"nothing":      {offered: map[string]string{newest: "Old 250"}, left: []string{oldest, archived, theirs}},
		"a search":     {search: "fir", offered: map[string]string{oldest: "First"}, left: []string{newest}},
		"an old one":   {chosen: oldest, offered: map[string]string{oldest: "First", newest: "Old 250"}},
		"both":         {chosen: newest, search: "fir", offered: map[string]string{oldest: "First", newest: "Old 250"}},
		"the archived": {chosen: archived, search: "gone", offered: map[string]string{archived: "Gone"}},
		"archived":     {search: "gone", left: []string{archived}},
		"of others":    {search: "secret", left: []string{theirs}},
		"no name":      {chosen: theirs, offered: map[string]string{theirs: theirs}},
		"much":         {search: strings.Repeat("a", 201), offered: map[string]string{newest: "Old 250"}},
	} {
		a := person.Submit("/visits/form", url.Values{
			"idempotency_key": {"visit"}, "note": {"Kept"}, "customer_id": {c.chosen}, "search-customer_id": {c.search},
			"action": {"find:customer_id"},
		})
		page := b.Page(a)
		if typed := page.Typed(); a.Status != http.StatusOK || typed.Get("note") != "Kept" || typed.Get("customer_id") != c.chosen {
			t.Errorf("%s: %d, %v", name, a.Status, typed)
		}
		offered := map[string]string{}
		for _, option := range sitetest.Elements(page.Form(), "option") {
			value, _ := sitetest.Attr(option, "value")
			offered[value] = sitetest.Text(option)
		}
		for id, want := range c.offered {
			assert.Thatf(t, offered[id] == want, "%s: %s is offered as %q, want %q", name, id, offered[id], want)
		}
		for _, id := range c.left {
			assert.Thatf(t, offered[id] == "", "%s: %s is offered", name, offered[id])
		}
		_, focused := sitetest.Attr(sitetest.Elements(page.Form(), "select")[0], "autofocus")
		assert.Thatf(t, focused, "%s: the select lacks the focus", name)
	}

	for query, want := range map[string][]string{
		"q=first": {oldest, "First"}, "q=old": {"Old 250", "Old 231", "There are more."}, "": {"Old 250"}, "q=gone": {}, "q=secret": {},
		"q=old+250&except=" + newest: {}, "id=" + oldest: {"First"}, "id=" + theirs: {theirs},
	} {
		a := person.Get("/visits/choices/customer_id?" + query)
		for _, text := range want {
			assert.Thatf(t, a.Status == http.StatusOK && strings.Contains(a.Body, text), "%q: no %s in %v", query, text, a)
		}
		n := strings.Count(a.Body, "<option value=")
		assert.Thatf(t, (len(want) != 0 || n <= 0) && n <= 20 && !strings.Contains(a.Body, "Secret"), "%q: %d customers, %v", query, n, a)
	}
	if a := person.Get("/visits/choices/customer_id?q=" + strings.Repeat("a", 201)); a.Status != http.StatusUnprocessableEntity {
		t.Error(a)
	}
}
