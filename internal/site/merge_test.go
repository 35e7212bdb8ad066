package site_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"onlyonce/internal/customer/duplicate"
)

// The ids of four customers; the first one is referred.
const (
	second = "019aa5b2-7c1e-7d3a-9f00-3b1d5c6e7f81"
	third  = "019aa5b2-7c1e-7d3a-9f00-3b1d5c6e7f82"
	fourth = "019aa5b2-7c1e-7d3a-9f00-3b1d5c6e7f83"
)

// fourCustomers are the customers of merges and distinctions.
func fourCustomers() (all []reference) {
	for i, id := range []string{referred, second, third, fourth} {
		c := customers()
		c.other = change(c.other, "email", fmt.Sprintf("grace%d@example.com", i+1),
			"name", fmt.Sprint("Grace ", i+1), "tax_id", "")
		all = append(all, reference{c, id})
	}
	return all
}

// seen returns the field of a form with customers, in their first version.
func seen(ids ...string) string { return strings.Join(ids, "@1 ") + "@1" }

func merges() resource {
	command := url.Values{"customers": {seen(referred, second)}, "winner_id": {referred}}
	return resource{
		name: "merge", path: "/merges", words: words{verb: "merge", past: "merged", button: "Merge customers", told: "Merged Grace 2 into Grace 1."},
		command: command, label: "Grace 2 into Grace 1",
		leaves: rows{"customer_merges": 1, "intent_effects": 2, "intents": 1},
		other:  url.Values{"customers": {seen(third, fourth)}, "winner_id": {fourth}},
		refers: fourCustomers(),
		fields: []field{
			{"customers", seen(referred, third), seen(referred), "/customers"},
			{"winner_id", second, "nobody", "/winner_id"},
		},
		transitions: []transition{{verb: "undo", past: "undone", leaves: rows{"intent_effects": 2}}},
		api: api{func(form url.Values) string {
			customers := []map[string]any{}
			for text := range strings.FieldsSeq(form.Get("customers")) {
				id, version, _ := strings.Cut(text, "@")
				n, _ := strconv.Atoi(version)
				customers = append(customers, map[string]any{"id": id, "version": n})
			}
			return encode(map[string]any{"customers": customers, "winner_id": form.Get("winner_id")})
		}, duplicate.MergeInput{}},
	}
}

func distinctions() resource {
	command := url.Values{"customers": {seen(referred, second)}}
	return resource{
		name: "distinction", path: "/distinctions", words: words{verb: "remember", past: "remembered"}, command: command, label: "Grace 1, Grace 2",
		leaves: rows{"customer_distinctions": 1, "customer_distinct_pairs": 1, "intent_effects": 2, "intents": 1},
		other:  url.Values{"customers": {seen(third, fourth)}},
		refers: fourCustomers(),
		fields: []field{{"customers", seen(referred, third), seen(referred), "/customer_ids"}},
		api: api{func(form url.Values) string {
			return encode(map[string]any{"customer_ids": strings.Fields(strings.ReplaceAll(form.Get("customers"), "@1", ""))})
		}, duplicate.ApartInput{}},
	}
}

// TestMergedCustomerLeadsToTheWinner: its address redirects in both formats, its page names the winner, and an edit is refused
// with a link.
func TestMergedCustomerLeadsToTheWinner(t *testing.T) {
	b := setup(t)
	person, program := b.person(b.replica, b.acme), b.program(b.replica, b.acme)
	b.refer(merges(), b.acme)
	before := program.get("/api/v1/customers/" + second)
	b.page(person.get("/duplicates")).says("No duplicates")
	merge := b.prepared(b.acme, "merge", merges(), merges().command)

	led := person.get("/customers/" + second)
	if led.status != http.StatusSeeOther || led.location() != "/customers/"+referred {
		t.Fatalf("%v", led)
	}
	b.page(person.get(led.location())).says("Grace 1", "Grace 2 into Grace 1").leadsTo("/merges/" + merge.ID)
	a := program.get("/api/v1/customers/" + second)
	type customer struct {
		ID         string
		MergedFrom []struct{ ID, Name string } `json:"merged_from"`
	}
	if got := decode[customer](b, a); a.status != http.StatusOK || got.ID != referred || len(got.MergedFrom) != 1 ||
		got.MergedFrom[0].ID != second || a.header.Get("Content-Location") != "/api/v1/customers/"+referred {
		t.Errorf("%v", a)
	}

	for _, version := range []string{"1", "2"} { // the seen version, and the current one
		form := change(customers().other, "idempotency_key", "edit "+version, "version", version)
		b.page(person.submit("/customers/"+second+"/edit", form)).says("Grace 2 was merged into Grace 1.").leadsTo("/customers/" + referred)
	}
	b.page(person.get("/customers/" + second + "/edit?key=fresh")).says("Grace 2 was merged into Grace 1.")
	for _, tag := range []string{`"v1"`, `"v2"`, ""} {
		refused := program.with("Idempotency-Key", "edit")
		if tag != "" {
			refused = refused.with("If-Match", tag)
		}
		a = program.must(refused.send(t.Context(), http.MethodPut, "/api/v1/customers/"+second, customers().api.encode(customers().other)))
		if p := decode[problem](b, a); a.status != http.StatusConflict || p.ExistingID != referred {
			t.Errorf("%s: %v", tag, a)
		}
	}
	loser := change(customers().command, "email", "grace2@example.com", "name", "Grace 2", "tax_id", "")
	if again := b.prepared(b.acme, "again", customers(), loser); again.ID != referred {
		t.Errorf("the email leads to %+v", again)
	}

	b.page(person.get("/merges/"+merge.ID)).says("Grace 2 into Grace 1", "Can be undone until")
	undone := person.submit("/merges/"+merge.ID+"/undo", url.Values{"idempotency_key": {"undo"}})
	b.page(person.get(undone.location())).says("Merge Grace 2 into Grace 1 undone.")
	after := program.get("/api/v1/customers/" + second)
	if got := strings.ReplaceAll(after.body, `"version":3`, `"version":1`); got != before.body {
		t.Errorf("was %s\nis  %s", before.body, got)
	}
}

// TestMergeFormShowsWhatIsThere: the customers are side by side, with the records to be moved, and the oldest is selected. If
// they have changed, the form shows the changes, and is sent again.
func TestMergeFormShowsWhatIsThere(t *testing.T) {
	b := setup(t)
	person := b.person(b.replica, b.acme)
	b.refer(merges(), b.acme)
	b.exec(`UPDATE customers SET name = 'GRACE-1' WHERE id = $1`, second)
	p := b.page(person.get("/duplicates")).says("Same name", "GRACE-1")
	p.leadsTo("/merges/new?customers=" + referred + "+" + second)
	opened := person.get(person.get("/merges/new?customers=" + referred + "+" + second).location())
	p = b.page(opened).says("The one that stays", "Refers to it nothing")
	typed := p.typed()
	if typed.Get("winner_id") != referred {
		t.Errorf("%v", typed)
	}
	b.exec(`UPDATE customers SET address = 'Moved' WHERE id = $1`, second)
	refused := person.submit("/merges", typed)
	p = b.page(refused).says("GRACE-1 has changed since you opened this form.", "Moved")
	if refused.status != http.StatusConflict {
		t.Errorf("%v", refused)
	}
	if made := person.press(p, "Merge customers"); made.status != http.StatusSeeOther {
		t.Errorf("%v", made)
	}
	b.page(person.get("/duplicates")).says("No duplicates")
}
