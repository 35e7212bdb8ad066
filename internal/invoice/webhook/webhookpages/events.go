package webhookpages

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/a-h/templ"
	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/webhook"
	"onlyonce/internal/record"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

func (s *pages) mountEvents(owners *web.Site) {
	m := web.Resource[webhook.Event]{
		One: "webhook event", Path: "/webhook-events", Table: webhook.Events, Rules: webhook.EventRules(),
		Name: func(e webhook.Event) string { return e.EventID },
	}.Mount(owners)
	web.List(m, web.Listing[webhook.Event]{
		Read: func(r *http.Request, page record.Page) (record.List[webhook.Event], error) {
			state := r.URL.Query().Get("state")
			if state != "" && !slices.Contains(webhook.States(), state) {
				var problems invalid.Error
				problems.Add("/state", "Choose one of the states.")
				return record.List[webhook.Event]{}, problems.Err()
			}
			return webhook.List(r.Context(), s.site.Pool, web.Principal(r).Tenant, state, page)
		},
		Finder: eventFinder,
		Columns: []templates.Column{
			{Label: "Event", Class: "name"}, {Label: "State", Class: "name"}, {Label: "Type", Class: "date"},
			{Label: "Came", Class: "date"},
		},
		Row: func(r *http.Request, e webhook.Event) []string {
			return []string{e.EventID, eventState(e.State), e.Type, web.Day(r, e.CreatedAt)}
		},
		Empty: "Events from webhook sources appear here, with what was done about them.",
	})
	web.Show(m, web.RecordPage[webhook.Event]{
		Facts: eventFacts, Actions: eventActions,
		Page: func(r *http.Request, p templates.Page, e webhook.Event) (templ.Component, error) {
			body, err := webhook.Body(r.Context(), s.site.Pool, web.Principal(r).Tenant, e.ID)
			if err != nil {
				return nil, err
			}
			v := invoiceviews.WebhookEvent{
				RecordView: web.RecordView(m, r, e), Reason: webhook.Sentence(e), Advice: eventAdvice(e), Body: string(body),
				Kept: fmt.Sprintf("%d days", int(webhook.KeepBody.Hours()/24)),
			}
			if webhook.Payable(e) {
				err = s.offerInvoices(r, m, e, &v)
			}
			return invoiceviews.WebhookEventPage(p, v), err
		},
	})
	web.Receive(m, "/hooks/{address}", webhook.Receive, web.Explanation{
		Title: "Signature doesn't match",
		Meaning: "The delivery isn't signed with a current secret of its webhook source, or its time differs from ours by more than five " +
			"minutes.",
		ToDo: "Check that the sender's secret and clock match ours. Then deliver it again.",
	}, s.sender, apart)
	web.Transition(m, "apply", "applied", "", webhook.Apply, web.NewCommand(func(r *http.Request) (webhook.Choice, error) {
		return webhook.Choice{Invoice: r.PostFormValue(invoiceviews.InvoiceField)}.Draft()
	}, webhook.Choice.Draft), &webhook.NotApplied)
	web.Transition(m, "dismiss", "dismissed", "", webhook.Dismiss, web.Nothing(), &webhook.Applied)
}

// offered is the number of invoices offered on the page of an event, newest first.
const offered = 10

// offerInvoices adds to the page of an event the invoices that its payment may belong to, and a field for the number of a different one.
func (s *pages) offerInvoices(r *http.Request, m *web.Mounted[webhook.Event], e webhook.Event, v *invoiceviews.WebhookEvent) error {
	found, err := invoice.WithOpen(r.Context(), s.site.Pool, web.Principal(r).Tenant, e.Currency, e.Amount, offered)
	if err != nil {
		return err
	}
	v.Amount = e.Currency.Display(e.Amount) + " " + e.Currency.String()
	for _, inv := range found {
		apply := web.Action(m, r, e.ID, "apply")
		apply.Text, apply.Fields = "Record on "+inv.Number, []templates.Field{{Name: invoiceviews.InvoiceField, Value: inv.ID.String()}}
		v.Invoices = append(v.Invoices, invoiceviews.WebhookInvoice{
			Number: inv.Number, Href: "/invoices/" + inv.ID.String(), Customer: inv.Customer.Name, Due: inv.DueDate.Display(), Apply: apply,
		})
	}
	v.Other = web.Action(m, r, e.ID, "apply")
	v.Other.Text = "Record on this invoice"
	return nil
}

// sender returns the source whose address a request was sent to.
func (s *pages) sender(r *http.Request) (web.Sender[webhook.Arrival], error) {
	source, err := webhook.FindSender(r.Context(), s.site.Pool, s.vault, chi.URLParam(r, "address"))
	return web.Sender[webhook.Arrival]{
		Tenant: source.Tenant, Demo: source.Demo, Actor: "webhook " + source.Name,
		Verify: func(header http.Header, body []byte) (d web.Delivery[webhook.Arrival], err error) {
			d.Command, err = source.Verify(header, body)
			switch {
			case errors.Is(err, webhook.ErrSignature):
				return d, fmt.Errorf("%w: %w", web.ErrSignature, err)
			case err != nil:
				return d, fmt.Errorf("%w: %w", web.ErrMalformed, err)
			}
			d.Key, err = d.Command.Key()
			return d, err
		},
	}, err
}

// apart returns the delivery of an event whose id arrived before with different content.
func apart(d web.Delivery[webhook.Arrival], first uuid.UUID) (_ web.Delivery[webhook.Arrival], err error) {
	d.Command.First = first
	d.Key, err = d.Command.Key()
	return d, err
}

// eventFinder filters events by their state.
func eventFinder(r *http.Request) (templates.Finder, error) {
	query := r.URL.Query()
	state := query.Get("state")
	finder := templates.Finder{
		Many: "webhook events", Chips: []templates.NavItem{{Text: "All", Href: "/webhook-events", Current: state == ""}},
	}
	for _, each := range webhook.States() {
		finder.Chips = append(finder.Chips, templates.NavItem{
			Text: eventState(each), Href: web.ListURL("/webhook-events", query, "state", each), Current: each == state,
		})
	}
	if state != "" {
		finder.Said, finder.ClearHref = web.Beginning(eventState(state)), "/webhook-events"
	}
	return finder, nil
}

// eventState returns the state of an event for users.
func eventState(state string) string {
	switch state {
	case webhook.StateKept:
		return "Not understood"
	case webhook.StateUndecided:
		return "Needs a decision"
	case webhook.StateApart:
		return "Same ID, other content"
	default:
		return web.Capital(state)
	}
}

// eventAdvice returns the user's options for an event, in sentences.
func eventAdvice(e webhook.Event) string {
	switch e.State {
	case webhook.StateKept:
		return "Nothing was done, because we don't know what to do with this type of event."
	case webhook.StateUndecided:
		return "Nothing was recorded. " + webhook.Advice(e)
	case webhook.StateApplied:
		if e.LikePaymentID != uuid.Nil {
			return "The payment was recorded, and looks like a repeat of another one. If they are the same, remove one of the two."
		}
		return ""
	case webhook.StateWaiting:
		return "The refund is recorded together with the payment."
	case webhook.StateApart:
		return "An earlier event has the same ID, and was kept. Compare the two, then apply this one too or dismiss it."
	default:
		return ""
	}
}

// eventActions returns the actions that are possible for an event now.
func eventActions(e webhook.Event) []string {
	switch {
	case e.State == webhook.StateApplied, e.State == webhook.StateKept:
		return nil
	case webhook.Payable(e) && e.Invoice == "":
		return []string{"dismiss"}
	case e.State == webhook.StateDismissed:
		return []string{"apply"}
	case e.Kind == "":
		return []string{"dismiss"}
	default:
		return []string{"apply", "dismiss"}
	}
}

func eventFacts(r *http.Request, e webhook.Event) []templates.Fact {
	facts := []templates.Fact{
		{Label: "State", Value: eventState(e.State)}, {Label: "Type", Value: e.Type},
		{Label: "From", Value: e.Source.Name, Href: "/webhooks/" + e.Source.ID.String()},
		{Label: "Came", Value: web.Moment(r, e.CreatedAt)},
	}
	if e.First != uuid.Nil {
		facts = append(facts, templates.Fact{Label: "First with this ID", Value: "Open it", Href: "/webhook-events/" + e.First.String()})
	}
	facts = append(facts, web.KnownFacts(
		templates.Fact{Label: "Invoice", Value: e.Invoice}, templates.Fact{Label: "Payment", Value: e.Reference})...)
	if e.Amount > 0 {
		label := "Amount"
		if e.Kind == webhook.KindRefund {
			label = "Refunded up to then"
		}
		facts = append(facts, templates.Fact{Label: label, Value: e.Currency.Display(e.Amount) + " " + e.Currency.String()},
			templates.Fact{Label: "Day", Value: web.DateText(e.Day)})
	}
	if e.InvoiceID != uuid.Nil {
		facts = append(facts, templates.Fact{Label: "Recorded", Value: "Open the invoice", Href: "/invoices/" + e.InvoiceID.String()})
	}
	if e.LikePaymentID != uuid.Nil {
		facts = append(facts, templates.Fact{
			Label: "Looks like", Value: "Open the other payment", Href: "/payments/" + e.LikePaymentID.String(),
		})
	}
	return facts
}
