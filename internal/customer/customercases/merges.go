package customercases

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"onlyonce/internal/customer/duplicate"
	"onlyonce/internal/site/sitetest"
)

// fourCustomers are the customers of merges and distinctions.
func fourCustomers() (all []sitetest.Reference) {
	for i, id := range []string{sitetest.Referred, sitetest.Second, sitetest.Third, sitetest.Fourth} {
		c := Customers()
		c.Other = sitetest.Change(c.Other, "email", fmt.Sprintf("grace%d@example.com", i+1),
			"name", fmt.Sprint("Grace ", i+1), "tax_id", "")
		all = append(all, sitetest.Reference{Resource: c, As: id})
	}
	return all
}

// Seen returns the field of a form with customers, in their first version.
func Seen(ids ...string) string { return strings.Join(ids, "@1 ") + "@1" }

// Merges unite two of four customers.
func Merges() sitetest.Resource {
	command := url.Values{"customers": {Seen(sitetest.Referred, sitetest.Second)}, "winner_id": {sitetest.Referred}}
	return sitetest.Resource{
		Name: "merge", Path: "/merges", Words: sitetest.Words{Verb: "merge", Past: "merged", Button: "Merge customers",
			Told: "Merged Grace 2 into Grace 1."},
		Command: command, Label: "Grace 2 into Grace 1",
		Leaves: sitetest.Rows{"customer_merges": 1, "intent_effects": 2, "intents": 1},
		Other:  url.Values{"customers": {Seen(sitetest.Third, sitetest.Fourth)}, "winner_id": {sitetest.Fourth}},
		Refers: fourCustomers(),
		Fields: []sitetest.Field{
			{Name: "customers", Valid: Seen(sitetest.Referred, sitetest.Third), Invalid: Seen(sitetest.Referred), Pointer: "/customers"},
			{Name: "winner_id", Valid: sitetest.Second, Invalid: "nobody", Pointer: "/winner_id"},
		},
		Transitions: []sitetest.Transition{{Verb: "undo", Past: "undone", Leaves: sitetest.Rows{"intent_effects": 2}}},
		API: sitetest.API{Encode: func(form url.Values) string {
			customers := []map[string]any{}
			for text := range strings.FieldsSeq(form.Get("customers")) {
				id, version, _ := strings.Cut(text, "@")
				n, _ := strconv.Atoi(version)
				customers = append(customers, map[string]any{"id": id, "version": n})
			}
			return sitetest.Encode(map[string]any{"customers": customers, "winner_id": form.Get("winner_id")})
		}, Input: duplicate.MergeInput{}},
	}
}

// Distinctions mark two customers as distinct.
func Distinctions() sitetest.Resource {
	command := url.Values{"customers": {Seen(sitetest.Referred, sitetest.Second)}}
	return sitetest.Resource{
		Name: "distinction", Path: "/distinctions", Words: sitetest.Words{Verb: "remember", Past: "remembered"}, Command: command,
		Label:  "Grace 1, Grace 2",
		Leaves: sitetest.Rows{"customer_distinctions": 1, "customer_distinct_pairs": 1, "intent_effects": 2, "intents": 1},
		Other:  url.Values{"customers": {Seen(sitetest.Third, sitetest.Fourth)}},
		Refers: fourCustomers(),
		Fields: []sitetest.Field{
			{Name: "customers", Valid: Seen(sitetest.Referred, sitetest.Third), Invalid: Seen(sitetest.Referred), Pointer: "/customer_ids"},
		},
		API: sitetest.API{Encode: func(form url.Values) string {
			return sitetest.Encode(map[string]any{"customer_ids": strings.Fields(strings.ReplaceAll(form.Get("customers"), "@1", ""))})
		}, Input: duplicate.ApartInput{}},
	}
}
