package sitetest

import (
	"net/http"
	"slices"
	"strings"
)

// foundByExternalID: records are found by their external ids, also below another record, and by each spelling of the
// source. Other tenants' records aren't found, and nothing else beside the record.
func foundByExternalID(x *Case) {
	b, of := x.Bundle, x.Resource.unplaced()
	made := b.Prepared(b.Acme, "mine", b.Placed(of, b.Acme, "mine").Called("a 1"), of.Command)
	b.Prepared(b.Globex, "theirs", b.Placed(of, b.Globex, "theirs").Called("a 2"), of.of(b.Globex, of.Command))
	program, rows := b.Program(b.Replica, b.Acme), strings.ReplaceAll(of.Path[1:], "-", "_")
	find := func(query string) Answer { return program.Get("/api/v1" + of.Path + "?" + query) }
	for query, want := range map[string][]string{
		"source=Shop&external_id=a+1": {made.ID}, "source=shop&external_id=a%201&limit=1": {made.ID},
		"source=shop&external_id=A+1": nil, "source=mart&external_id=a+1": nil, "source=shop&external_id=a+2": nil,
	} {
		found := find(query)
		var ids []string
		for _, one := range Decode[map[string][]Created](b, found)[rows] {
			ids = append(ids, one.ID)
		}
		if found.Status != http.StatusOK || !slices.Equal(ids, want) {
			b.Errorf("%s: want %v, got %v", query, want, found)
		}
	}
	for query, pointer := range map[string]string{
		"source=shop": "/external_id", "external_id=1": "/source", "source=shop&external_id=1&q=ada": "/q",
		"source=shop&external_id=1&external_id=2": "/external_id", "source=shop&external_id=%C3%A4": "/external_id",
		"source=shop&external_id=a++1": "/external_id",
	} {
		a := find(query)
		p := Decode[Problem](b, a)
		if a.Status != http.StatusUnprocessableEntity || len(p.Errors) != 1 || p.Errors[0].Pointer != pointer {
			b.Errorf("%s: want %s, got %v", query, pointer, a)
		}
	}
	if one := program.Get("/api/v1" + of.RecordAt(made.ID)).Body; !strings.Contains(one, `"source":"Shop"`) ||
		!strings.Contains(one, `"external_id":"a 1"`) {
		b.Errorf("the record does not say what others call it: %s", one)
	}
	page := b.Page(b.Person(b.Replica, b.Acme).Get(b.Placed(of, b.Acme, "mine").PageOf(made.ID)))
	if page.Says("a 1"); of.Parent != nil {
		page.Says("Shop")
	}
}
