package site_test

import (
	"net/http"
	"slices"
	"strings"
)

// foundByExternalID: records are found by their external ids, also below another record, and by each spelling of the
// source. Other tenants' records aren't found, and nothing else beside the record.
func foundByExternalID(x *caseRun) {
	b, of := x.bundle, x.resource.unplaced()
	made := b.prepared(b.acme, "mine", b.placed(of, b.acme, "mine").called("a 1"), of.command)
	b.prepared(b.globex, "theirs", b.placed(of, b.globex, "theirs").called("a 2"), of.of(b.globex, of.command))
	program, rows := b.program(b.replica, b.acme), strings.ReplaceAll(of.path[1:], "-", "_")
	find := func(query string) answer { return program.get("/api/v1" + of.path + "?" + query) }
	for query, want := range map[string][]string{
		"source=Shop&external_id=a+1": {made.ID}, "source=shop&external_id=a%201&limit=1": {made.ID},
		"source=shop&external_id=A+1": nil, "source=mart&external_id=a+1": nil, "source=shop&external_id=a+2": nil,
	} {
		found := find(query)
		var ids []string
		for _, one := range decode[map[string][]created](b, found)[rows] {
			ids = append(ids, one.ID)
		}
		if found.status != http.StatusOK || !slices.Equal(ids, want) {
			b.Errorf("%s: want %v, got %v", query, want, found)
		}
	}
	for query, pointer := range map[string]string{
		"source=shop": "/external_id", "external_id=1": "/source", "source=shop&external_id=1&q=ada": "/q",
		"source=shop&external_id=1&external_id=2": "/external_id", "source=shop&external_id=%C3%A4": "/external_id",
		"source=shop&external_id=a++1": "/external_id",
	} {
		a := find(query)
		p := decode[problem](b, a)
		if a.status != http.StatusUnprocessableEntity || len(p.Errors) != 1 || p.Errors[0].Pointer != pointer {
			b.Errorf("%s: want %s, got %v", query, pointer, a)
		}
	}
	if one := program.get("/api/v1" + of.recordAt(made.ID)).body; !strings.Contains(one, `"source":"Shop"`) ||
		!strings.Contains(one, `"external_id":"a 1"`) {
		b.Errorf("the record does not say what others call it: %s", one)
	}
	page := b.page(b.person(b.replica, b.acme).get(b.placed(of, b.acme, "mine").pageOf(made.ID)))
	if page.says("a 1"); of.parent != nil {
		page.says("Shop")
	}
}
