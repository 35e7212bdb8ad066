package site_test

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
	"strconv"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	stripe "github.com/stripe/stripe-go/v83/webhook"

	"onlyonce/internal/must"
	"onlyonce/internal/value/secretkey"
	"onlyonce/internal/web"
)

// hookSecret is a secret that both schemes accept.
const hookSecret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"

func webhookSources() resource {
	command := url.Values{"name": {"Stripe"}, "scheme": {"standard"}, "provider": {""}, "secret": {hookSecret}}
	return resource{
		name: "webhook source", path: "/webhooks", people: true, words: words{verb: "add", past: "added"}, command: command, label: "Stripe",
		leaves: rows{"webhook_sources": 1, "webhook_secrets": 1, "intents": 1},
		other:  change(command, "name", "Bank", "scheme", "stripe"),
		fields: []field{
			{"name", "Processor", "a\u202eb", "/name"},
			{"scheme", "stripe", "pigeons", "/scheme"},
			{"provider", "Processor", "a\u202eb", "/provider"},
			{"secret", hookSecret[:37] + "0", "short", "/secret"},
		},
		uniques: []unique{{field: "name", value: "taken", free: "free", slug: "webhook-source-taken"}},
		transitions: []transition{
			{verb: "disable", past: "disabled", undo: "enable"},
			{verb: "enable", past: "enabled", from: []string{"disable"}, undo: "disable"},
		},
	}
}

func webhookSecrets() resource {
	secret := func(last string) string { return hookSecret[:37] + last }
	return resource{
		name: "webhook secret", path: "/webhook-secrets", parent: &parent{resource: webhookSources(), unlike: "name", ownPage: true},
		people: true,
		words:  words{verb: "add", past: "added"}, command: url.Values{"secret": {secret("1")}}, label: "of " + web.Day(time.Now().UTC()),
		leaves:      rows{"webhook_secrets": 1, "intents": 1},
		other:       url.Values{"secret": {secret("2")}},
		fields:      []field{{"secret", secret("3"), "short", "/secret"}},
		uniques:     []unique{{field: "secret", value: secret("4"), free: secret("5"), slug: "webhook-secret-taken"}},
		transitions: []transition{{verb: "end", past: "ended"}},
	}
}

// webhookEvents arrive at a source of the tenant, each for an invoice that is issued only afterwards.
func webhookEvents() resource {
	return resource{
		name: "webhook event", path: "/webhook-events", people: true, words: words{verb: "receive", past: "received"},
		command: url.Values{"event": {"evt_1"}}, label: "evt_1", other: url.Values{"event": {"evt_2"}},
		arrives: func(b *bundle, of tenant, key string, command url.Values) answer {
			b.Helper()
			s, program := b.sender(of, "standard"), b.program(b.replica, of)
			number := "E " + command.Get("event")
			program.create(invoices(), "of "+key, change(invoices().command, "number", number))
			a := s.deliver(b.replica, command.Get("event"), paidBy(number, command.Get("event"), "1.00"))
			program.with("Idempotency-Key", "issue").post(
				"/api/v1/invoices/"+get[string](b, `
					SELECT id::text FROM invoices WHERE tenant_id = $1 AND number = $2`, of.id, number)+"/issue", "")
			if a.status != http.StatusOK {
				return a
			}
			a.status = http.StatusCreated
			id := decode[created](b, a).ID
			a.body = encode(created{ID: id, Version: get[int](b, `SELECT version FROM webhook_events WHERE id = $1`, id)})
			return a
		},
		transitions: []transition{
			{verb: "apply", past: "applied", leaves: rows{"payments": 1, "postings": 1, "intent_effects": 1}},
			{verb: "dismiss", past: "dismissed"},
		},
	}
}

// sender delivers events like a provider.
type sender struct {
	b       *bundle
	scheme  string
	address string
}

// sender returns the source of a tenant with a scheme, and creates it if it is missing.
func (b *bundle) sender(of tenant, scheme string) sender {
	b.Helper()
	name := "Sender " + scheme
	b.prepared(of, "sender "+scheme, webhookSources(), url.Values{"name": {name}, "scheme": {scheme}, "secret": {hookSecret}})
	page := b.page(b.person(b.replica, of).get("/webhooks/" + get[string](b,
		`SELECT id::text FROM webhook_sources WHERE tenant_id = $1 AND name = $2`, of.id, name)))
	_, address, _ := strings.Cut(page.text(), "/hooks/")
	return sender{b, scheme, "/hooks/" + strings.Fields(address)[0]}
}

// deliver sends an event, signed now.
func (s sender) deliver(at *replica, id, body string) answer {
	s.b.Helper()
	return s.deliverAt(at, id, body, time.Now())
}

func (s sender) deliverAt(to *replica, id, body string, at time.Time) answer {
	s.b.Helper()
	a, err := s.post(to, id, body, at)
	if err != nil {
		s.b.Fatal(err)
	}
	return a
}

// post is deliverAt for concurrent use.
func (s sender) post(to *replica, id, body string, at time.Time) (answer, error) {
	c := s.b.stranger(to).with("Content-Type", "application/json")
	if s.scheme == "stripe" {
		signed := stripe.GenerateTestSignedPayload(&stripe.UnsignedPayload{Payload: []byte(body), Secret: hookSecret, Timestamp: at})
		return c.with("Stripe-Signature", signed.Header).send(s.b.Context(), http.MethodPost, s.address, body)
	}
	signer, err := standardwebhooks.NewWebhook(hookSecret)
	if err != nil {
		return answer{}, err
	}
	signature, err := signer.Sign(id, at, []byte(body))
	if err != nil {
		return answer{}, err
	}
	return c.with("Webhook-Id", id).with("Webhook-Timestamp", strconv.FormatInt(at.Unix(), 10)).
		with("Webhook-Signature", signature).send(s.b.Context(), http.MethodPost, s.address, body)
}

func paidBy(invoice, payment, amount string) string {
	return fmt.Sprintf(`{"type": "payment.received", "timestamp": "2026-11-23T10:00:00Z",
		"data": {"invoice": %q, "payment": %q, "amount": %q, "currency": "EUR"}}`, invoice, payment, amount)
}

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
func (b *bundle) issuedInvoice() string {
	b.Helper()
	made := b.prepared(b.acme, "issued", invoices(), invoices().command, "issue")
	return get[string](b, `SELECT number FROM invoices WHERE id = $1`, made.ID)
}

// TestDeliveries checks the answer of each delivery, and the stored event.
func TestDeliveries(t *testing.T) {
	b := setup(t)
	number := b.issuedInvoice()
	bank, card := b.sender(b.acme, "standard"), b.sender(b.acme, "stripe")
	nowhere := bank
	nowhere.address = "/hooks/nowhere"
	stolen := bank
	stolen.scheme = "stripe"
	large := paidBy(number, "p", "1.00") + strings.Repeat(" ", 256<<10)
	now := time.Now()
	before := b.contents()
	for _, c := range []struct {
		what     string
		from     sender
		id, body string
		at       time.Time
		status   int
		problem  string
	}{
		{"no such source", nowhere, "m", paidBy(number, "p", "1.00"), now, 404, "not-found"},
		{"the other scheme", stolen, "m", paidBy(number, "p", "1.00"), now, 400, "bad-signature"},
		{"an hour old", bank, "m", paidBy(number, "p", "1.00"), now.Add(-time.Hour), 400, "bad-signature"},
		{"no JSON", bank, "m", "paid", now, 400, "malformed"},
		{"no id", card, "", `{"type": "x"}`, now, 400, "malformed"},
		{"too large", bank, "m", large, now, 413, "too-large"},
	} {
		a := c.from.deliverAt(b.replica, c.id, c.body, c.at)
		if a.status != c.status || !strings.Contains(a.body, "/problems/"+c.problem) ||
			a.header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %v", c.what, a)
		}
	}
	wantUnchanged(b, "what was refused", before, b.contents())
	for _, c := range []struct {
		what, id, body, state string
	}{
		{"paid", "1", paidBy(number, "p1", "50.00"), "applied"},
		{"paid too much", "2", paidBy(number, "p2", "500.00"), "undecided"},
		{"unknown", "3", `{"type": "invoice.liked"}`, "kept"},
		{"given back before it was paid", "4", givenBack("p5", "5.00"), "waiting"},
		{"the first id, another content", "1", paidBy(number, "p1", "51.00"), "apart"},
	} {
		for n := range 3 {
			a := bank.deliver(b.replica, c.id, c.body)
			state := get[string](b, `SELECT COALESCE((SELECT state::text FROM webhook_events WHERE id = $1), '')`, decode[created](b, a).ID)
			if a.status != http.StatusOK || (a.header.Get("Idempotent-Replayed") == "true") != (n > 0) || state != c.state {
				t.Errorf("%s: %s, %v", c.what, state, a)
			}
		}
	}
	bank.deliver(b.replica, "5", paidBy(number, "p5", "20.00"))
	if a := card.deliver(b.replica, "", intentOf("evt_1", number, 1000)); a.status != http.StatusOK {
		t.Error(a)
	}
	if paid := get[int](b, `SELECT paid FROM invoices WHERE number = $1`, number); paid != 5000+2000-500+1000 {
		t.Errorf("paid %d", paid)
	}
	owner := b.person(b.replica, b.acme)
	b.page(owner.get("/webhook-events?state=undecided")).says("Needs a decision", "payment.received")
	shown := b.page(owner.get("/webhook-events/" + get[string](b, `SELECT id::text FROM webhook_events WHERE state = 'undecided'`)))
	shown.says("The payment is larger than what is open on the invoice.", `"amount": "500.00"`, "Sender standard")
}

// TestEventNamedLikeAKey: an event id may end like the key of a separately kept event. If the key already belongs to another
// event, which can't happen, the delivery fails.
func TestEventNamedLikeAKey(t *testing.T) {
	b := setup(t)
	number := b.issuedInvoice()
	bank := b.sender(b.acme, "standard")
	second := paidBy(number, "p2", "2.00")
	var content any
	must.OK(t, json.Unmarshal([]byte(second), &content))
	digest := sha256.Sum256([]byte(encode(content)))
	named := base64.RawURLEncoding.EncodeToString(digest[:])
	for _, c := range []struct{ id, body, state string }{
		{"evt/1", paidBy(number, "p1", "1.00"), "applied"},
		{"evt/1/" + named, paidBy(number, "p3", "3.00"), "applied"},
		{"evt/1", second, "apart"},
		{"evt/1/" + named, second, "apart"},
	} {
		a := bank.deliver(b.replica, c.id, c.body)
		state := get[string](b, `SELECT COALESCE((SELECT state::text FROM webhook_events WHERE id = $1), '')`, decode[created](b, a).ID)
		if a.status != http.StatusOK || state != c.state {
			t.Errorf("%s: %s, %v", c.id, state, a)
		}
	}
	bank.deliver(b.replica, "evt", paidBy(number, "p4", "4.00"))
	b.exec(`
		INSERT INTO intents (tenant_id, operation, key, fingerprint, attempt_id, record_id, outcome, actor, expires_at)
		SELECT tenant_id, operation, key || ' ' || $1, sha256(''), attempt_id, new_id(), outcome, actor, expires_at FROM intents
		WHERE key LIKE '%/evt'`, named)
	if a := bank.deliver(b.replica, "evt", second); a.status != http.StatusServiceUnavailable ||
		!strings.Contains(a.body, "/problems/not-kept") {
		t.Error(a)
	}
}

// TestChooseTheInvoice: the page of a payment without an invoice offers those with the same open amount, and accepts any
// other number.
func TestChooseTheInvoice(t *testing.T) {
	b := setup(t)
	number := b.issuedInvoice()
	card, person := b.sender(b.acme, "stripe"), b.person(b.replica, b.acme)
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
		event := "/webhook-events/" + decode[created](b, card.deliver(b.replica, "", intentOf(c.event, c.invoice, c.cents))).ID
		p := b.page(person.get(event)).says(c.says, "Which invoice was paid?")
		press := func(fields ...string) answer {
			if c.press != "" {
				return person.pressAny(p, c.press)
			}
			return person.submit(event+"/apply", change(url.Values{"idempotency_key": {c.event}}, fields...))
		}
		if c.press == "" {
			b.page(press("invoice", "2026-0998")).says("There is no invoice “2026-0998”.", "Choose the invoice that was paid")
		}
		for range 2 {
			if a := press("invoice", number); a.status != http.StatusSeeOther {
				t.Fatal(a)
			}
		}
		b.page(person.get(event)).says("Applied", "Open the invoice")
	}
	got := get[[]int](b, `SELECT ARRAY[(SELECT paid FROM invoices), (SELECT count(*) FROM payments)]`)
	if !slices.Equal(got, []int{13577, 3}) {
		t.Errorf("paid, payments: %v", got)
	}
}

// TestEventIsNotKept: if the effect fails, nothing is stored, the sender has to retry, and the retry succeeds.
func TestEventIsNotKept(t *testing.T) {
	b := setup(t)
	b.db.Spoil(t)
	number := b.issuedInvoice()
	bank := b.sender(b.acme, "standard")
	before := b.contents()
	b.exec(`ALTER TABLE postings ADD CONSTRAINT broken CHECK (kind <> 'payment') NOT VALID`)
	for range 2 {
		a := bank.deliver(b.replica, "1", paidBy(number, "p", "1.00"))
		if a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") == "" || !strings.Contains(a.body,
			"/problems/not-kept") {
			t.Error(a)
		}
	}
	wantUnchanged(b, "what failed", before, b.contents())
	b.exec(`ALTER TABLE postings DROP CONSTRAINT broken`)
	a := bank.deliver(b.replica, "1", paidBy(number, "p", "1.00"))
	if a.status != http.StatusOK || a.header.Get("Idempotent-Replayed") != "" {
		t.Error(a)
	}
	b.wantRows(b.rows()) // and no second one
	if paid := get[int](b, `SELECT paid FROM invoices`); paid != 100 {
		t.Errorf("paid %d", paid)
	}
}

// TestSecretOfAnotherKey: deliveries have to be repeated, the page of the source explains the reason, and entering the secret
// again repairs it.
func TestSecretOfAnotherKey(t *testing.T) {
	b := setup(t)
	bank := b.sender(b.acme, "standard")
	other := b.serve(func(c *config) {
		var err error
		if c.people.Key, err = secretkey.Keep(t.TempDir()); err != nil {
			t.Fatal(err)
		}
	})
	deliver := func(want int) {
		t.Helper()
		a := bank.deliver(other, "1", `{"type": "x"}`)
		if a.status != want || (a.header.Get("Retry-After") != "") != (want == http.StatusServiceUnavailable) {
			t.Error(a)
		}
	}
	source := "/webhooks/" + get[string](b, `SELECT id::text FROM webhook_sources`)
	owner := b.person(other, b.acme)
	const warning, row = "Events can't be verified", ", but encrypted with another SECRET_KEY"
	warns := func(person *client, warned, marked int) {
		t.Helper()
		text := b.page(person.get(source)).text()
		if strings.Count(text, warning) != warned || strings.Count(text, row) != marked {
			t.Errorf("warned of %d sources and %d secrets, want %d and %d: %s", strings.Count(text, warning), strings.Count(text, row),
				warned, marked, text)
		}
	}

	deliver(http.StatusServiceUnavailable)
	warns(owner, 1, 1)
	added := owner.submit(source+"/webhook-secrets", url.Values{"idempotency_key": {"anew"}, "secret": {hookSecret}})
	if added.status != http.StatusSeeOther {
		t.Fatal(added)
	}
	deliver(http.StatusOK)
	warns(owner, 0, 1)
	warns(b.person(b.replica, b.acme), 0, 1) // their own secret is valid for another day
}

// provider redelivers like Stripe: until it gets a 2xx, and sometimes once more, because the answer was lost.
func (s sender) provider(replicas []*replica, event, body string, losesAnswers bool) error {
	for attempt := range 50 {
		a, err := s.post(replicas[attempt%len(replicas)], event, body, time.Now())
		switch {
		case err != nil:
			return err
		case a.status == http.StatusOK && (!losesAnswers || attempt >= 3):
			return nil
		case a.status != http.StatusOK && a.status != http.StatusServiceUnavailable:
			return fmt.Errorf("%s: %v", event, a)
		}
	}
	return fmt.Errorf("%s was not taken", event)
}

// TestProviders: events of many payments at once to two replicas, and a hundred deliveries of the same event.
func TestProviders(t *testing.T) {
	b := setup(t)
	number := b.issuedInvoice()
	card := b.sender(b.acme, "stripe")
	replicas := []*replica{b.replica, b.serve()}
	const deliveries, events = 100, 25
	errs := make(chan error, deliveries+events)
	gate := make(chan struct{})
	for i := range deliveries + events {
		go func() {
			<-gate
			if i < deliveries {
				a, err := card.post(replicas[i%2], "", intentOf("evt_one", number, 1000), time.Now())
				if err == nil && a.status != http.StatusOK {
					err = fmt.Errorf("%v", a)
				}
				errs <- err
				return
			}
			event := fmt.Sprint("evt_", i)
			errs <- card.provider(replicas, event, intentOf(event, number, 100), i%2 == 0)
		}()
	}
	close(gate)
	for range deliveries + events {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	got := get[[]int](b, `
		SELECT ARRAY[(SELECT paid FROM invoices), (SELECT count(*) FROM payments), (SELECT count(*) FROM webhook_events)]`)
	if want := []int{1000 + events*100, events + 1, events + 1}; !slices.Equal(got, want) {
		t.Errorf("paid, payments, events: %v, want %v", got, want)
	}
}

// TestHooksOfDemoTenants are refused when the demo is off, like their logins: their secrets are public.
func TestHooksOfDemoTenants(t *testing.T) {
	b := setup(t)
	bank := b.sender(b.acme, "standard")
	b.exec(`UPDATE tenants SET demo = true WHERE id = $1`, b.acme.id)
	if a := bank.deliver(b.replica, "1", `{"type": "x"}`); a.status != http.StatusNotFound {
		t.Error(a)
	}
	if a := bank.deliver(b.serve(withDemo), "1", `{"type": "x"}`); a.status != http.StatusOK {
		t.Error(a)
	}
}

// TestWebhookGuide runs the commands of docs/webhooks.md, twice.
func TestWebhookGuide(t *testing.T) {
	b := setup(t)
	page, err := os.ReadFile("../../docs/webhooks.md")
	if err != nil {
		t.Fatal(err)
	}
	_, script, _ := strings.Cut(string(page), "```sh\n")
	script, _, _ = strings.Cut(script, "```")
	number, bank := b.issuedInvoice(), b.sender(b.acme, "standard")
	for name, value := range map[string]string{
		"hook": b.url + bank.address, "secret": strings.TrimPrefix(hookSecret, "whsec_"), "invoice": number,
	} {
		line := regexp.MustCompile(`(?m)^` + name + `=.*$`)
		if len(line.FindAllString(script, -1)) != 1 {
			t.Fatalf("no %s in %s", name, script)
		}
		script = line.ReplaceAllString(script, name+"="+value)
	}
	for _, want := range []string{"HTTP/1.1 200", "Idempotent-Replayed: true"} {
		output, err := exec.CommandContext(t.Context(), "sh", "-euc", script).CombinedOutput()
		if err != nil || !strings.Contains(string(output), want) {
			t.Errorf("no %q, %v: %s", want, err, output)
		}
	}
	if paid := get[int](b, `SELECT paid FROM invoices WHERE number = $1`, number); paid != 1000 {
		t.Errorf("paid %d", paid)
	}
}
