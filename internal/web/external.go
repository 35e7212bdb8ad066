package web

import (
	"net/http"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/record"
	"onlyonce/templates"
)

// readExternal returns a function that reads the record that source and external_id name, with find. Its error may be an
// [*invalid.Error].
func readExternal(find func(*http.Request, record.Page, idempotency.External) (record.List[Entity], error)) readEntities {
	return func(r *http.Request, page record.Page) (record.List[Entity], error) {
		query := r.URL.Query()
		var problems invalid.Error
		for _, name := range []string{"source", "external_id"} {
			if len(query[name]) > 1 {
				problems.Add("/"+name, "Give "+name+" once.")
			}
		}
		for name := range query {
			if name != "source" && name != "external_id" && name != "limit" {
				problems.Add("/"+name, "Leave "+name+" out: an external id finds one record.")
			}
		}
		of := idempotency.External{Source: query.Get("source"), ExternalID: query.Get("external_id")}.Check("", &problems)
		if of == (idempotency.External{}) {
			problems.Add("/source", "Send source and external_id.")
		}
		if err := problems.Err(); err != nil {
			return record.List[Entity]{}, err
		}
		return find(r, page, of)
	}
}

// ExternalFact returns a record's id in another system for its page; zero without one.
func ExternalFact(of idempotency.External) templates.Fact {
	if of == (idempotency.External{}) {
		return templates.Fact{}
	}
	return templates.Fact{Label: "External id", Value: of.ExternalID + " (" + of.Source + ")"}
}
