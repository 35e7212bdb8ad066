package invoicepages_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"onlyonce/internal/assert"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/must"
	"onlyonce/internal/site/sitetest"
	"onlyonce/internal/value/secretkey"
)

// givenBack returns the event with the refunded total of a payment.
func givenBack(payment, refunded string) string {
	return fmt.Sprintf(`{"type": "payment.refunded", "timestamp": "2026-11-23T10:00:00Z",
		"data": {"payment": %q, "refunded": %q, "currency": "EUR"}}`, payment, refunded)
}

// intentOf returns Stripe's event of a payment.
func intentOf(event, invoice string, amount int) string {
	return fmt.Sprintf(`{"id": %q, "object": "event", "api_version": "2020-08-27", "type": "payment_intent.succeeded",
		"created": 1795428000,
		"data": {"object": {"id": "pi_%[1]s", "object": "payment_intent", "amount_received": %d, "currency": "eur",
		"metadata": {"invoice": %q}}}}`, event, amount, invoice)
}

// issuedInvoice creates an issued invoice of acme over 135.77, and returns its number.
func issuedInvoice(b *sitetest.Bundle) string {
	b.Helper()
	made := b.Prepared(b.Acme, "issued", invoicecases.Invoices(), invoicecases.Invoices().Command, "issue")
	return sitetest.Get[string](b, `SELECT number FROM invoices WHERE id = $1`, made.ID)
}

// TestDeliveries checks the answer of each delivery, and the stored event.
func TestDeliveries(t *testing.T) {
	b := sitetest.Setup(t)
	number := issuedInvoice(b)
	bank, card := invoicecases.SenderOf(b, b.Acme, "standard"), invoicecases.SenderOf(b, b.Acme, "stripe")
	nowhere := bank
	nowhere.Address = "/hooks/nowhere"
	stolen := bank
	stolen.Scheme = "stripe"
	large := invoicecases.PaidBy(number, "p", "1.00") + strings.Repeat(" ", 256<<10)
	now := time.Now()
	before := b.Contents()
	for _, c := range []struct {
		what     string
		from     invoicecases.Sender
		id, body string
		at       time.Time
		status   int
		problem  string
	}{
		{"no such source", nowhere, "m", invoicecases.PaidBy(number, "p", "1.00"), now, 404, "not-found"},
		{"the other scheme", stolen, "m", invoicecases.PaidBy(number, "p", "1.00"), now, 400, "bad-signature"},
		{"an hour old", bank, "m", invoicecases.PaidBy(number, "p", "1.00"), now.Add(-time.Hour), 400, "bad-signature"},
		{"no JSON", bank, "m", "paid", now, 400, "malformed"},
		{"no id", card, "", `{"type": "x"}`, now, 400, "malformed"},
		{"too large", bank, "m", large, now, 413, "too-large"},
	} {
		a := c.from.DeliverAt(b.Replica, c.id, c.body, c.at)
		assert.Thatf(t, a.Status == c.status && strings.Contains(a.Body, "/problems/"+c.problem) &&
			a.Header.Get("Content-Type") == "application/problem+json", "%s: %v", c.what, a)
	}
	sitetest.WantUnchanged(b, "what was refused", before, b.Contents())
	for _, c := range []struct {
		what, id, body, state string
	}{
		{"paid", "1", invoicecases.PaidBy(number, "p1", "50.00"), "applied"},
		{"paid too much", "2", invoicecases.PaidBy(number, "p2", "500.00"), "undecided"},
		{"unknown", "3", `{"type": "invoice.liked"}`, "kept"},
		{"given back before it was paid", "4", givenBack("p5", "5.00"), "waiting"},
		{"the first id, another content", "1", invoicecases.PaidBy(number, "p1", "51.00"), "apart"},
	} {
		for n := range 3 {
			a := bank.Deliver(b.Replica, c.id, c.body)
			state := sitetest.Get[string](b, `SELECT COALESCE((SELECT state::text FROM webhook_events WHERE id = $1), '')`,
				sitetest.Decode[sitetest.Created](b, a).ID)
			assert.Thatf(t, a.Status == http.StatusOK && (a.Header.Get("Idempotent-Replayed") == "true") == (n > 0) && state == c.state,
				"%s: %s, %v", c.what, state, a)
		}
	}
	bank.Deliver(b.Replica, "5", invoicecases.PaidBy(number, "p5", "20.00"))
	card.Deliver(b.Replica, "", intentOf("evt_1", number, 1000)).Want(t, http.StatusOK)
	assert.Equal(t, sitetest.Get[int](b, `SELECT paid FROM invoices WHERE number = $1`, number), 5000+2000-500+1000, "paid")
	owner := b.Person(b.Replica, b.Acme)
	b.Page(owner.Get("/webhook-events?state=undecided")).Says("Needs a decision", "payment.received")
	shown := b.Page(
		owner.Get("/webhook-events/" + sitetest.Get[string](b, `SELECT id::text FROM webhook_events WHERE state = 'undecided'`)),
	)
	shown.Says("The payment is larger than what is open on the invoice.", `"amount": "500.00"`, "Sender standard")
}

// TestEventNamedLikeAKey: an event id may end like the key of a separately kept event. If the key already belongs to another
// event, which can't happen, the delivery fails.
func TestEventNamedLikeAKey(t *testing.T) {
	b := sitetest.Setup(t)
	number := issuedInvoice(b)
	bank := invoicecases.SenderOf(b, b.Acme, "standard")
	second := invoicecases.PaidBy(number, "p2", "2.00")
	var content any
	must.OK(t, json.Unmarshal([]byte(second), &content))
	digest := sha256.Sum256([]byte(sitetest.Encode(content)))
	named := base64.RawURLEncoding.EncodeToString(digest[:])
	for _, c := range []struct{ id, body, state string }{
		{"evt/1", invoicecases.PaidBy(number, "p1", "1.00"), "applied"},
		{"evt/1/" + named, invoicecases.PaidBy(number, "p3", "3.00"), "applied"},
		{"evt/1", second, "apart"},
		{"evt/1/" + named, second, "apart"},
	} {
		a := bank.Deliver(b.Replica, c.id, c.body)
		state := sitetest.Get[string](b, `SELECT COALESCE((SELECT state::text FROM webhook_events WHERE id = $1), '')`,
			sitetest.Decode[sitetest.Created](b, a).ID)
		assert.Thatf(t, a.Status == http.StatusOK && state == c.state, "%s: %s, %v", c.id, state, a)
	}
	bank.Deliver(b.Replica, "evt", invoicecases.PaidBy(number, "p4", "4.00"))
	b.Exec(`
		INSERT INTO intents (tenant_id, operation, key, fingerprint, attempt_id, record_id, outcome, actor, expires_at)
		SELECT tenant_id, operation, key || ' ' || $1, sha256(''), attempt_id, new_id(), outcome, actor, expires_at FROM intents
		WHERE key LIKE '%/evt'`, named)
	if a := bank.Deliver(b.Replica, "evt", second); a.Status != http.StatusServiceUnavailable ||
		!strings.Contains(a.Body, "/problems/not-kept") {
		t.Error(a)
	}
}

// TestChooseTheInvoice: the page of a payment without an invoice offers those with the same open amount, and accepts any
// other number.
func TestChooseTheInvoice(t *testing.T) {
	b := sitetest.Setup(t)
	number := issuedInvoice(b)
	card, person := invoicecases.SenderOf(b, b.Acme, "stripe"), b.Person(b.Replica, b.Acme)
	for _, c := range []struct {
		event, invoice string
		cents          int
		says, press    string
	}{
		{"evt_1", "", 577, "No issued invoice has 5.77 EUR open.", ""},
		{"evt_2", "2026-0999", 577, "There is no invoice “2026-0999”.", ""},
		{"evt_3", "", 13577 - 2*577, "It doesn't say which invoice was paid. Nothing was recorded. Choose the invoice that was paid",
			"Record on " + number},
	} {
		event := "/webhook-events/" + sitetest.Decode[sitetest.Created](b,
			card.Deliver(b.Replica, "", intentOf(c.event, c.invoice, c.cents))).ID
		p := b.Page(person.Get(event)).Says(c.says, "Which invoice was paid?")
		press := func(fields ...string) sitetest.Answer {
			if c.press != "" {
				return person.PressAny(p, c.press)
			}
			return person.Submit(event+"/apply", sitetest.Change(url.Values{"idempotency_key": {c.event}}, fields...))
		}
		if c.press == "" {
			b.Page(press("invoice", "2026-0998")).Says("There is no invoice “2026-0998”.", "Choose the invoice that was paid")
		}
		for range 2 {
			press("invoice", number).Want(t, http.StatusSeeOther)
		}
		b.Page(person.Get(event)).Says("Applied", "Open the invoice")
	}
	got := sitetest.Get[[]int](b, `SELECT ARRAY[(SELECT paid FROM invoices), (SELECT count(*) FROM payments)]`)
	assert.Thatf(t, slices.Equal(got, []int{13577, 3}), "paid, payments: %v", got)
}

// TestEventIsNotKept: if the effect fails, nothing is stored, the sender has to retry, and the retry succeeds.
func TestEventIsNotKept(t *testing.T) {
	b := sitetest.Setup(t)
	b.DB.Spoil(t)
	number := issuedInvoice(b)
	bank := invoicecases.SenderOf(b, b.Acme, "standard")
	before := b.Contents()
	b.Exec(`ALTER TABLE postings ADD CONSTRAINT broken CHECK (kind <> 'payment') NOT VALID`)
	for range 2 {
		a := bank.Deliver(b.Replica, "1", invoicecases.PaidBy(number, "p", "1.00"))
		assert.Thatf(t, a.Status == http.StatusServiceUnavailable && a.Header.Get("Retry-After") != "" && strings.Contains(a.Body,
			"/problems/not-kept"), "%v", a)
	}
	sitetest.WantUnchanged(b, "what failed", before, b.Contents())
	b.Exec(`ALTER TABLE postings DROP CONSTRAINT broken`)
	a := bank.Deliver(b.Replica, "1", invoicecases.PaidBy(number, "p", "1.00"))
	assert.Thatf(t, a.Status == http.StatusOK && a.Header.Get("Idempotent-Replayed") == "", "%v", a)
	b.WantRows(b.Rows()) // and no second one
	assert.Equal(t, sitetest.Get[int](b, `SELECT paid FROM invoices`), 100, "paid")
}

// TestSecretOfAnotherKey: deliveries have to be repeated, the page of the source explains the reason, and entering the secret
// again repairs it.
func TestSecretOfAnotherKey(t *testing.T) {
	b := sitetest.Setup(t)
	bank := invoicecases.SenderOf(b, b.Acme, "standard")
	other := b.Serve(func(c *sitetest.Config) {
		var err error
		if c.People.Key, err = secretkey.Keep(t.TempDir()); err != nil {
			t.Fatal(err)
		}
	})
	deliver := func(want int) {
		t.Helper()
		a := bank.Deliver(other, "1", `{"type": "x"}`)
		assert.Thatf(t, a.Status == want && (a.Header.Get("Retry-After") != "") == (want == http.StatusServiceUnavailable), "%v", a)
	}
	source := "/webhooks/" + sitetest.Get[string](b, `SELECT id::text FROM webhook_sources`)
	owner := b.Person(other, b.Acme)
	const warning, row = "Events can't be verified", ", but encrypted with another SECRET_KEY"
	warns := func(person *sitetest.Client, warned, marked int) {
		t.Helper()
		text := b.Page(person.Get(source)).Text()
		if strings.Count(text, warning) != warned || strings.Count(text, row) != marked {
			t.Errorf("warned of %d sources and %d secrets, want %d and %d: %s", strings.Count(text, warning), strings.Count(text, row),
				warned, marked, text)
		}
	}

	deliver(http.StatusServiceUnavailable)
	warns(owner, 1, 1)
	added := owner.Submit(source+"/webhook-secrets", url.Values{"idempotency_key": {"anew"}, "secret": {invoicecases.HookSecret}})
	added.Want(t, http.StatusSeeOther)
	deliver(http.StatusOK)
	warns(owner, 0, 1)
	warns(b.Person(b.Replica, b.Acme), 0, 1) // their own secret is valid for another day
}

// provider redelivers like Stripe: until it gets a 2xx, and sometimes once more, because the answer was lost.
func provider(s invoicecases.Sender, replicas []*sitetest.Replica, event, body string, losesAnswers bool) error {
	for attempt := range 50 {
		a, err := s.Post(replicas[attempt%len(replicas)], event, body, time.Now())
		switch {
		case err != nil:
			return err
		case a.Status == http.StatusOK && (!losesAnswers || attempt >= 3):
			return nil
		case a.Status != http.StatusOK && a.Status != http.StatusServiceUnavailable:
			return fmt.Errorf("%s: %v", event, a)
		}
	}
	return fmt.Errorf("%s was not taken", event)
}

// TestProviders: events of many payments at once to two replicas, and a hundred deliveries of the same event.
func TestProviders(t *testing.T) {
	b := sitetest.Setup(t)
	number := issuedInvoice(b)
	card := invoicecases.SenderOf(b, b.Acme, "stripe")
	replicas := []*sitetest.Replica{b.Replica, b.Serve()}
	const deliveries, events = 100, 25
	errs := make(chan error, deliveries+events)
	gate := make(chan struct{})
	for i := range deliveries + events {
		go func() {
			<-gate
			if i < deliveries {
				a, err := card.Post(replicas[i%2], "", intentOf("evt_one", number, 1000), time.Now())
				if err == nil && a.Status != http.StatusOK {
					err = fmt.Errorf("%v", a)
				}
				errs <- err
				return
			}
			event := fmt.Sprint("evt_", i)
			errs <- provider(card, replicas, event, intentOf(event, number, 100), i%2 == 0)
		}()
	}
	close(gate)
	for range deliveries + events {
		must.OK(t, <-errs)
	}
	got := sitetest.Get[[]int](b, `
		SELECT ARRAY[(SELECT paid FROM invoices), (SELECT count(*) FROM payments), (SELECT count(*) FROM webhook_events)]`)
	want := []int{1000 + events*100, events + 1, events + 1}
	assert.Thatf(t, slices.Equal(got, want), "paid, payments, events: %v, want %v", got, want)
}

// TestHooksOfDemoTenants are refused when the demo is off, like their logins: their secrets are public.
func TestHooksOfDemoTenants(t *testing.T) {
	b := sitetest.Setup(t)
	bank := invoicecases.SenderOf(b, b.Acme, "standard")
	b.Exec(`UPDATE tenants SET demo = true WHERE id = $1`, b.Acme.ID)
	bank.Deliver(b.Replica, "1", `{"type": "x"}`).Want(t, http.StatusNotFound)
	bank.Deliver(b.Serve(sitetest.WithDemo), "1", `{"type": "x"}`).Want(t, http.StatusOK)
}

// TestWebhookGuide runs the commands of docs/webhooks.md, twice.
func TestWebhookGuide(t *testing.T) {
	b := sitetest.Setup(t)
	page, err := os.ReadFile("../../../docs/webhooks.md")
	must.OK(t, err)
	_, script, _ := strings.Cut(string(page), "```sh\n")
	script, _, _ = strings.Cut(script, "```")
	number, bank := issuedInvoice(b), invoicecases.SenderOf(b, b.Acme, "standard")
	for name, value := range map[string]string{
		"hook": b.URL + bank.Address, "secret": strings.TrimPrefix(invoicecases.HookSecret, "whsec_"), "invoice": number,
	} {
		line := regexp.MustCompile(`(?m)^` + name + `=.*$`)
		must.Thatf(t, len(line.FindAllString(script, -1)) == 1, "no %s in %s", name, script)
		script = line.ReplaceAllString(script, name+"="+value)
	}
	for _, want := range []string{"HTTP/1.1 200", "Idempotent-Replayed: true"} {
		output, err := exec.CommandContext(t.Context(), "sh", "-euc", script).CombinedOutput()
		assert.Thatf(t, err == nil && strings.Contains(string(output), want), "no %q, %v: %s", want, err, output)
	}
	assert.Equal(t, sitetest.Get[int](b, `SELECT paid FROM invoices WHERE number = $1`, number), 1000, "paid")
}
