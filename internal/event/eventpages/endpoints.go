package eventpages

import (
	"cmp"
	"net/http"

	"onlyonce/internal/event/endpoint"
	"onlyonce/internal/record"
	"onlyonce/internal/value/secretkey"
	"onlyonce/internal/web"
	"onlyonce/templates"
)

// mountEndpoints mounts the endpoints, for owners and the tokens that they allow it: each sends what happens in the business to an address,
// and its page shows a secret.
func mountEndpoints(s *web.Site, key secretkey.Key, private bool) {
	m := web.Resource[endpoint.Endpoint]{
		One: "endpoint", Path: "/endpoints", Table: endpoint.Table, Rules: endpoint.Rules(),
		Name: func(e endpoint.Endpoint) string { return e.Address },
		Reveal: func(r *http.Request, e endpoint.Endpoint) endpoint.Endpoint {
			e.Secret = endpoint.Secret(key, web.Principal(r).Tenant, e.ID)
			return e
		},
	}.Mount(s.OwnersAndPrograms("settings"))
	form := web.PlainForm([]web.PlainField[endpoint.Endpoint]{
		{
			Name: "address", Label: "Address", Text: func(e endpoint.Endpoint) string { return e.Address },
			Hint: "We send each event there, signed as Standard Webhooks specifies it. Begin with https://.",
		},
		{
			Name: "operations", Label: "Operations", Optional: true, Text: operations,
			Hint: "The beginnings of their names, such as “customer.”, with spaces between them. Leave this blank for all events.",
		},
	})
	form.Example = endpoint.Input{Address: "https://shop.example/events", Operations: "customer."}
	form.Words = &web.Wording{
		Title: "Add an endpoint", Submit: "Add endpoint", Did: "added", Does: "adds", Again: "Add another endpoint",
		Created: "Endpoint %s added.", Replayed: "Endpoint added. We ignored the duplicate submission and kept your first request.",
	}
	draft := web.NewForm(m, func(in endpoint.Input) (endpoint.Draft, error) {
		server := endpoint.Server{HasKey: !key.IsZero(), Private: private}
		for _, op := range s.Operations() {
			server.Known = append(server.Known, op.Name)
		}
		return in.Draft(server)
	}, form)
	web.List(m, web.Listing[endpoint.Endpoint]{
		Summary: "The endpoints, newest first.",
		Read: func(r *http.Request, page record.Page) (record.List[endpoint.Endpoint], error) {
			return record.ListBy(r.Context(), s.Pool, endpoint.Table, web.Principal(r).Tenant, page, `true`, nil)
		},
		Columns: []templates.Column{
			{Label: "Address", Class: "name"}, {Label: "Operations", Class: "name"}, {Label: "State", Class: "date"},
		},
		Row: func(r *http.Request, e endpoint.Endpoint) []string {
			return []string{e.Address, operations(e), state(r, e)}
		},
		Empty: "We can send what is created or changed here to your programs. Events are recorded once you add the first endpoint.",
	})
	web.Show(m, web.RecordPage[endpoint.Endpoint]{
		Summary: "One endpoint.",
		Facts: func(r *http.Request, e endpoint.Endpoint) []templates.Fact {
			return web.KnownFacts(
				templates.Fact{Label: "Address", Value: e.Address}, templates.Fact{Label: "Operations", Value: operations(e)},
				templates.Fact{Label: "Signing secret", Value: endpoint.Secret(key, web.Principal(r).Tenant, e.ID)},
				templates.Fact{Label: "Added by", Value: e.CreatedBy}, templates.Fact{Label: "State", Value: state(r, e)},
				templates.Fact{Label: "Reason", Value: e.DisabledReason},
			)
		},
		Actions: func(e endpoint.Endpoint) []string {
			if e.DisabledAt.IsZero() {
				return []string{"disable"}
			}
			return []string{"enable"}
		},
	})
	web.Create(m, "Add an endpoint. The answer has its secret.", endpoint.Add, draft, nil, &endpoint.Few)
	web.Change(m, http.MethodPut, "Change an endpoint.", endpoint.Edit, draft)
	web.Transition(m, "disable", "disabled", "Switch an endpoint off.", endpoint.Disable, web.Nothing())
	web.Transition(m, "enable", "enabled", "Switch an endpoint on.", endpoint.Enable, web.Nothing(), &endpoint.Few)
}

func operations(e endpoint.Endpoint) string { return cmp.Or(e.Operations, "All") }

func state(r *http.Request, e endpoint.Endpoint) string {
	if e.DisabledAt.IsZero() {
		return "On"
	}
	return "Disabled on " + web.Day(r, e.DisabledAt)
}
