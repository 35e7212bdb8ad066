package eventpages

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"onlyonce/internal/event/endpoint"
	"onlyonce/internal/record"
	"onlyonce/internal/record/search"
	"onlyonce/internal/web"
	"onlyonce/templates"
)

// mountDeliveries mounts the deliveries to all endpoints, for owners and the tokens that they allow it.
func mountDeliveries(s *web.Site) {
	m := web.Resource[endpoint.Delivery]{
		One: "delivery", Path: "/deliveries", Table: endpoint.Deliveries, Rules: endpoint.DeliveryRules(),
		Name: func(d endpoint.Delivery) string { return d.Operation },
	}.Mount(s.OwnersAndPrograms("settings"))
	web.List(m, web.Listing[endpoint.Delivery]{
		Summary: "The deliveries of the last 30 days, newest first.",
		Filters: []web.Filter{{Name: "endpoint_id", Of: "endpoints", Names: search.Names{Names: endpoint.Names}}},
		Read: func(r *http.Request, page record.Page) (record.List[endpoint.Delivery], error) {
			of, err := uuid.Parse(r.URL.Query().Get("endpoint_id"))
			if err != nil {
				of = uuid.Nil // all: the filter is checked
			}
			return endpoint.ListDeliveries(r.Context(), s.Pool, web.Principal(r).Tenant, of, page)
		},
		Columns: []templates.Column{
			{Label: "Event", Class: "name"}, {Label: "State", Class: "name"}, {Label: "Attempts", Class: "date"},
			{Label: "Status", Class: "name"}, {Label: "Next attempt", Class: "date"},
		},
		Row: func(r *http.Request, d endpoint.Delivery) []string {
			return []string{d.Operation, deliveryState(d), attempts(d), status(d), nextAttempt(r, d)}
		},
		Empty: "Each event that is sent to an endpoint appears here for 30 days.",
	})
	web.Show(m, web.RecordPage[endpoint.Delivery]{
		Summary: "One delivery.",
		Facts: func(r *http.Request, d endpoint.Delivery) []templates.Fact {
			return web.KnownFacts(
				templates.Fact{Label: "Endpoint", Value: d.Endpoint.Name, Href: "/endpoints/" + d.Endpoint.ID.String()},
				templates.Fact{Label: "Event", Value: d.EventID.String()}, templates.Fact{Label: "State", Value: deliveryState(d)},
				templates.Fact{Label: "Attempts", Value: attempts(d)}, templates.Fact{Label: "Status", Value: status(d)},
				templates.Fact{Label: "Answer", Value: d.Answer},
				templates.Fact{Label: "Next attempt", Value: nextAttempt(r, d)},
			)
		},
		Actions: func(d endpoint.Delivery) []string {
			if d.NextAt.IsZero() {
				return []string{"resend"}
			}
			return []string{}
		},
	})
	web.Transition(m, "resend", "resent", "Send the event of a delivery again.", endpoint.Resend, web.Nothing())
}

func deliveryState(d endpoint.Delivery) string {
	switch d.State {
	case endpoint.StateBehind:
		return "Waiting for an earlier event"
	case endpoint.StateSending:
		return "Being sent"
	default:
		return web.Capital(d.State)
	}
}

func attempts(d endpoint.Delivery) string {
	if d.Attempts == 1 {
		return "1 attempt"
	}
	return strconv.Itoa(d.Attempts) + " attempts"
}

// status returns the status of the last answer, or "".
func status(d endpoint.Delivery) string {
	switch {
	case d.Status != 0:
		return strings.TrimSpace(strconv.Itoa(d.Status) + " " + http.StatusText(d.Status))
	case d.Answer != "":
		return "None"
	default:
		return ""
	}
}

func nextAttempt(r *http.Request, d endpoint.Delivery) string {
	if d.State != endpoint.StateWaiting {
		return ""
	}
	return web.Moment(r, d.NextAt)
}
