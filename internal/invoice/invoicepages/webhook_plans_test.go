package invoicepages_test

import (
	"maps"
	"net/http"
	"net/url"
	"time"

	"onlyonce/internal/assert"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/invoice/webhook"
	"onlyonce/internal/site/sitetest"
)

// deletesBodies deletes the bodies of old events.
func deletesBodies(p *sitetest.Planner) {
	p.Helper()
	p.During("deleting bodies of events", func() {
		n, err := webhook.Expire(p.Context(), p.Pool, p.Acme.ID,
			time.Now().Add(-(2*sitetest.Many-sitetest.Few/2)*time.Minute))
		assert.Thatf(p, err == nil &&
			n != 0, "deleted %d: %v", n, err)
	})
}

// everyWebhook returns the requests of the routes of sources, secrets and events.
func everyWebhook(b *sitetest.Bundle, person *sitetest.Client) map[string][]sitetest.Request {
	source, secret := invoicecases.WebhookSources(), invoicecases.WebhookSecrets()
	routes := b.EveryOwners(person, source, sitetest.Change(source.Command, "name", "source 7"))
	for _, path := range []string{"/webhooks", "/webhook-secrets", "/webhook-events"} {
		maps.Copy(routes, sitetest.EveryEvent(nil, person, path+"/{id}/events", path+"/"+sitetest.RowID(7)+"/events"))
		routes["GET "+path+"/{id}"] = []sitetest.Request{
			sitetest.Asking(person, path+"/"+sitetest.RowID(1)),
			sitetest.Asking(person, path+"/"+sitetest.Nobody),
		}
	}
	for _, filter := range []string{"", "state=undecided", "state=waiting", "state=apart", "state=applied", "state=nonsense"} {
		list := "/webhook-events?" + filter
		routes["GET /webhook-events"] = append(routes["GET /webhook-events"], sitetest.Asking(person, list),
			sitetest.Asking(person, list+"&limit=100"),
			sitetest.Asking(person, sitetest.At(list, "", sitetest.RowID(sitetest.Many/2), false)),
			sitetest.Asking(person, sitetest.At(list, "", sitetest.RowID(sitetest.Many/2), true)))
	}
	under := "/webhooks/" + sitetest.RowID(1) + "/webhook-secrets"
	add := func(want int, path, key string, command url.Values) sitetest.Request {
		return sitetest.Request{
			What: key,
			Want: want,
			Send: func() sitetest.Answer { return person.Submit(path, sitetest.Change(command, "idempotency_key", key)) },
		}
	}
	routes["GET /webhooks/{id}/webhook-secrets/new"] = []sitetest.Request{
		sitetest.Asking(person, under+"/new?key=fresh"), sitetest.Asking(person, under+"/new?key=past+7"),
	}
	routes["POST /webhooks/{id}/webhook-secrets"] = []sitetest.Request{
		add(http.StatusSeeOther, under, "secret", secret.Command), add(http.StatusSeeOther, under, "secret", secret.Command), // replayed
		add(http.StatusUnprocessableEntity, under, "secret", secret.Other),
		add(http.StatusConflict, under, "again", secret.Command),
		add(http.StatusNotFound, "/webhooks/"+sitetest.Nobody+"/webhook-secrets", "nobody", secret.Command),
	}
	// An applied event can't be dismissed.
	routes["POST /webhook-events/{id}/dismiss"] = []sitetest.Request{
		{What: "applied", Want: http.StatusConflict, Send: func() sitetest.Answer {
			return person.Submit("/webhook-events/"+sitetest.RowID(204)+"/dismiss", url.Values{"idempotency_key": {"applied"}})
		}},
	}
	routes["POST /webhook-events/{id}/apply"] = []sitetest.Request{
		{What: "unknown", Want: http.StatusConflict, Send: func() sitetest.Answer {
			return person.Submit("/webhook-events/"+sitetest.RowID(203)+"/apply", url.Values{"idempotency_key": {"unknown"}})
		}},
	}
	bank := invoicecases.SenderOf(b, b.Acme, "standard")
	deliver := func(id, body string) sitetest.Request {
		return sitetest.Request{What: id, Want: http.StatusOK, Send: func() sitetest.Answer { return bank.Deliver(b.Replica, id, body) }}
	}
	paid := deliver("paid", invoicecases.PaidBy(sitetest.RowID(invoicecases.Drafts+300), "hook a", "1.00"))
	routes["POST /hooks/{address}"] = []sitetest.Request{
		deliver("before", givenBack("hook a", "0.50")),
		paid, paid, // replayed
		deliver("paid", invoicecases.PaidBy(sitetest.RowID(invoicecases.Drafts+301), "hook a", "1.00")), // kept separately
		deliver("number", invoicecases.PaidBy("2026-0802", "hook b", "1.00")),
		deliver("behind", givenBack("hook b", "0.50")),
		deliver("nothing", invoicecases.PaidBy("2026-99999", "hook c", "1.00")),
		deliver("unknown", `{}`), b.Expiry(), paid,
	}
	return routes
}
