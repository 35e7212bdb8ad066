package eventcases

import (
	"net/http"
	"net/url"

	"onlyonce/internal/customer/customercases"
	"onlyonce/internal/event/endpoint"
	"onlyonce/internal/site/sitetest"
)

// Endpoints are the addresses to which events are delivered.
func Endpoints() sitetest.Resource {
	command := url.Values{"address": {"https://shop.example/hooks"}, "operations": {""}}
	return sitetest.Resource{
		Name: "endpoint", Path: "/endpoints", Owners: true,
		Words:   sitetest.Words{Verb: "add", Past: "added"},
		Command: command,
		Label:   "https://shop.example/hooks",
		Leaves:  sitetest.Rows{"endpoints": 1, "intents": 1},
		Other:   sitetest.Change(command, "address", "https://warehouse.example/"),
		Fields: []sitetest.Field{
			{Name: "address", Valid: "https://shop.example/new?all", Invalid: "http://shop.example", Pointer: "/address"},
			{Name: "operations", Valid: "customer. endpoint.", Invalid: "nonsense.", Pointer: "/operations"},
		},
		Uniques: []sitetest.Unique{{
			Field: "address", Value: "https://taken.example/", Free: "https://free.example/", Slug: "endpoint-taken",
		}},
		Edited: sitetest.Edited{
			Command: sitetest.Change(command, "address", "https://shop.example/new?all"), Label: "https://shop.example/new?all",
		},
		Transitions: []sitetest.Transition{
			{Verb: "disable", Past: "disabled", Undo: "enable"},
			{Verb: "enable", Past: "enabled", From: []string{"disable"}, Undo: "disable"},
		},
		API: sitetest.API{
			Encode: func(form url.Values) string {
				return sitetest.Encode(endpoint.Input{Address: form.Get("address"), Operations: form.Get("operations")})
			},
			Input: endpoint.Input{},
		},
	}
}

// Deliveries are the events of customers on their way to an endpoint, each delivered already.
func Deliveries() sitetest.Resource {
	return sitetest.Resource{
		Name: "delivery", Path: "/deliveries", Owners: true, Words: sitetest.Words{Verb: "deliver", Past: "delivered"},
		Command: url.Values{"email": {"delivered@example.com"}}, Label: "customer.upsert",
		Other: url.Values{"email": {"other@example.com"}},
		Arrives: func(b *sitetest.Bundle, of sitetest.Tenant, key string, command url.Values) sitetest.Answer {
			b.Helper()
			b.Prepared(of, "receiver", Endpoints(), url.Values{"address": {"https://receiver.example/"}, "operations": {"customer."}})
			customers := customercases.Customers()
			a := b.Program(b.Replica, of).Create(customers, "of "+key, sitetest.Change(customers.Command, "email", command.Get("email")))
			if a.Status != http.StatusCreated && a.Status != http.StatusOK {
				return a
			}
			made := sitetest.Decode[sitetest.Created](b, a).ID
			b.Exec(`
				UPDATE deliveries SET state = 'delivered', next_at = NULL
				WHERE tenant_id = $1 AND record_id = $2 AND version = 1`, of.ID, made)
			a.Status, a.Body = http.StatusCreated, sitetest.Get[string](b, `
				SELECT json_build_object('id', d.id, 'version', d.version)::text
				FROM deliveries d JOIN endpoints e ON e.tenant_id = d.tenant_id AND e.id = d.endpoint_id
				WHERE d.tenant_id = $1 AND record_id = $2 AND operation = 'customer.upsert'
					AND address = 'https://receiver.example/'`, of.ID, made)
			return a
		},
		Transitions: []sitetest.Transition{{Verb: "resend", Past: "resent"}},
	}
}
