package site_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"time"

	"onlyonce/internal/invoice/webhook"
)

// growWebhooks inserts sources of acme. The first source has most of the secrets and half of the events, and the first events
// are payments that can be applied.
func (b *bundle) growWebhooks() {
	b.Helper()
	b.exec(fmt.Sprintf(`
		SET LOCAL session_replication_role = replica; -- the triggers would do it one by one
		INSERT INTO webhook_sources (tenant_id, id, name, scheme)
		SELECT '%[1]s', pg_temp.id(n), CASE n WHEN 1 THEN 'Bank' ELSE 'Source ' || n END, 'standard' FROM generate_series(1, %[2]d) AS n;
		INSERT INTO webhook_secrets (tenant_id, id, source_id, sealed, ends_at)
		SELECT '%[1]s', pg_temp.id(n), pg_temp.id(greatest(1, n - %[2]d)), sha256(n::text::bytea) || sha256(''),
			CASE WHEN n BETWEEN 2 AND %[2]d THEN now() ELSE 'infinity' END
		FROM generate_series(1, 2 * %[2]d) AS n;
		INSERT INTO webhook_events (tenant_id, id, source_id, event_id, digest, type, kind, invoice, reference, amount, currency, day,
			state, payment_id)
		SELECT '%[1]s', pg_temp.id(n), pg_temp.id(1 + n %% 2 * n), 'evt ' || n, sha256(''), 'payment.received',
			CASE WHEN state <> 'kept' THEN 'payment' END,
			pg_temp.id(%[3]d + n), 'hook ' || n, 1, 'EUR', '2026-01-02', state, CASE state WHEN 'applied' THEN pg_temp.id(n) END
		FROM generate_series(1, %[2]d) AS n, LATERAL (SELECT CASE WHEN n < 200 THEN 'undecided'
			ELSE (ARRAY['undecided', 'waiting', 'dismissed', 'kept', 'applied'])[1 + n %% 5] END AS state) AS of;
		INSERT INTO webhook_events (tenant_id, id, source_id, event_id, first_id, digest, type, state)
		SELECT '%[1]s', pg_temp.id(%[2]d + n), pg_temp.id(1), 'evt 2', pg_temp.id(2), sha256(n::text::bytea), 'x', 'apart'
		FROM generate_series(1, %[2]d) AS n;
		INSERT INTO webhook_bodies (tenant_id, event_id, body, created_at)
		SELECT tenant_id, id, '{}', now() - row_number() OVER (ORDER BY id) * '1 minute'::interval FROM webhook_events`,
		b.acme.id, many, drafts))
}

// deletesBodies deletes the bodies of old events.
func deletesBodies(p *plans) {
	p.Helper()
	p.during("deleting bodies of events", func() {
		if n, err := webhook.Expire(p.Context(), p.pool, p.acme.id, time.Now().Add(-(2*many-few/2)*time.Minute)); err != nil || n == 0 {
			p.Errorf("deleted %d: %v", n, err)
		}
	})
}

// everyWebhook returns the requests of the routes of sources, secrets and events.
func (b *bundle) everyWebhook(person *client) map[string][]request {
	source, secret := webhookSources(), webhookSecrets()
	routes := b.everyOwners(person, source, change(source.command, "name", "source 7"))
	for _, path := range []string{"/webhooks", "/webhook-secrets", "/webhook-events"} {
		maps.Copy(routes, everyEvent(nil, person, path+"/{id}/events", path+"/"+rowID(7)+"/events"))
		routes["GET "+path+"/{id}"] = []request{asking(person, path+"/"+rowID(1)), asking(person, path+"/"+nobody)}
	}
	for _, filter := range []string{"", "state=undecided", "state=waiting", "state=apart", "state=applied", "state=nonsense"} {
		list := "/webhook-events?" + filter
		routes["GET /webhook-events"] = append(routes["GET /webhook-events"], asking(person, list), asking(person, list+"&limit=100"),
			asking(person, at(list, "", rowID(many/2), false)), asking(person, at(list, "", rowID(many/2), true)))
	}
	under := "/webhooks/" + rowID(1) + "/webhook-secrets"
	add := func(want int, path, key string, command url.Values) request {
		return request{key, want, func() answer { return person.submit(path, change(command, "idempotency_key", key)) }}
	}
	routes["GET /webhooks/{id}/webhook-secrets/new"] = []request{
		asking(person, under+"/new?key=fresh"), asking(person, under+"/new?key=past+7"),
	}
	routes["POST /webhooks/{id}/webhook-secrets"] = []request{
		add(http.StatusSeeOther, under, "secret", secret.command), add(http.StatusSeeOther, under, "secret", secret.command), // replayed
		add(http.StatusUnprocessableEntity, under, "secret", secret.other),
		add(http.StatusConflict, under, "again", secret.command),
		add(http.StatusNotFound, "/webhooks/"+nobody+"/webhook-secrets", "nobody", secret.command),
	}
	// An applied event can't be dismissed.
	routes["POST /webhook-events/{id}/dismiss"] = []request{{"applied", http.StatusConflict, func() answer {
		return person.submit("/webhook-events/"+rowID(204)+"/dismiss", url.Values{"idempotency_key": {"applied"}})
	}}}
	routes["POST /webhook-events/{id}/apply"] = []request{{"unknown", http.StatusConflict, func() answer {
		return person.submit("/webhook-events/"+rowID(203)+"/apply", url.Values{"idempotency_key": {"unknown"}})
	}}}
	bank := b.sender(b.acme, "standard")
	deliver := func(id, body string) request {
		return request{id, http.StatusOK, func() answer { return bank.deliver(b.replica, id, body) }}
	}
	paid := deliver("paid", paidBy(rowID(drafts+300), "hook a", "1.00"))
	routes["POST /hooks/{address}"] = []request{
		deliver("before", givenBack("hook a", "0.50")),
		paid, paid, // replayed
		deliver("paid", paidBy(rowID(drafts+301), "hook a", "1.00")), // kept separately
		deliver("number", paidBy("2026-0802", "hook b", "1.00")),
		deliver("behind", givenBack("hook b", "0.50")),
		deliver("nothing", paidBy("2026-99999", "hook c", "1.00")),
		deliver("unknown", `{}`), b.expiry(), paid,
	}
	return routes
}
