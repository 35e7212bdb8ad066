package e2e

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"onlyonce/internal/assert"
)

// An external program delivers its events any number of times, and people decide about events that do not fit: each is recorded
// once.

const (
	wouldDeliver  = "it adds a source of events, which would stay"
	webhookSecret = "whsec_b25seW9uY2UtYnJvd3Nlci1vbmx5b25jZS1icm93c2Vy"
)

// An event arrives three times at the same moment, and again later.
func TestEventDeliveredThreeTimesAtOnce(t *testing.T) {
	onlyHere(t, wouldDeliver)
	t.Parallel()
	s := loggedIn(t)
	s.openIssued()
	bank := s.addSource()
	event, paid := s.number(10), received(s.number(1), "pay_1", "41.00")
	s.log.forget()

	release := s.lock("payments")
	answers := bank.deliver(3, event, paid)
	s.waiting(3)
	release()

	got := []string{<-answers, <-answers, <-answers}
	slices.Sort(got)
	want := []string{"200", "200 again", "200 again"}
	assert.Thatf(t, slices.Equal(got, want), "the answers are %v, want %v", got, want)
	s.open("/webhook-events?state=applied")
	s.follow(event)
	s.seesHeading(event)
	s.sees("payment.received")
	s.moment()
	s.follow(linkOpenTheInvoice)
	s.sees("41.00 of 123.00 paid.")

	again := <-bank.deliver(1, event, paid)
	assert.Thatf(t, again == "200 again", "delivered again: %s", again)
	s.hasPaid(s.number(1), 41)
	s.attempts("created", "replayed", "replayed", "replayed")
	n := s.count(`SELECT count(*) FROM webhook_events WHERE event_id = $1`, event)
	assert.Thatf(t, n == 1, "%d events", n)
}

// Back shows the current page of the event, without the pressed button.
func TestBackToAnEventThatWasApplied(t *testing.T) {
	onlyHere(t, wouldDeliver)
	onlyInChromium(t, "the page that follows a form at the same address replaces it in the history, so Back leads elsewhere")
	t.Parallel()
	s := start(t)
	event := undecided(s)
	s.giveBack()
	s.open(event)
	s.click(buttonApply)
	s.sees(linkOpenTheInvoice)
	s.back()
	s.sees(linkOpenTheInvoice)
	s.check(expect.Locator(s.button(buttonApply)).ToHaveCount(0), "not be offered what is done")
	s.hasBooks(s.number(1), booksText("paid", "123.00", "0.00", "0.00", 1, 0))
	s.hasPayments(2)
}

// A tab dismisses the event, and another one, which still shows both buttons, applies it.
func TestEventDismissedAndAppliedInTwoTabs(t *testing.T) {
	onlyHere(t, wouldDeliver)
	t.Parallel()
	s := start(t)
	event := undecided(s)
	other := s.tab(event)
	s.giveBack()
	s.log.forget()
	s.open(event)
	s.click(buttonDismiss)
	s.sees("Dismissed")
	other.click(buttonApply)
	other.sees(linkOpenTheInvoice)
	s.hasPayments(2)
	s.click(buttonApply)
	s.sees("was already applied.")
	s.hasNoAlert()
	s.hasPayments(2)
	s.attempts("changed", "changed", "unchanged")
}

// undecided logs in and opens the page of an event that does not fit: the invoice has 100.00 paid out of 123.00, and the event
// reports 123.00. It returns the address of the page.
func undecided(s *session) (event string) {
	s.t.Helper()
	s.login()
	s.payByAPI(s.issuedByAPI(s.number(1)), "100.00", s.number(20))
	bank := s.addSource()
	answer := <-bank.deliver(1, s.number(10), received(s.number(1), "pay_1", "123.00"))
	assert.Thatf(s.t, answer == "200", "delivered: %s", answer)
	s.open("/webhook-events?state=undecided")
	s.follow(s.number(10))
	s.seesHeading(s.number(10))
	s.log.forget()
	return s.page.URL()
}

// giveBack refunds the payment of the first invoice.
func (s *session) giveBack() {
	s.t.Helper()
	var payment string
	s.query(&payment, `SELECT id::text FROM payments WHERE reference = $1`, s.number(20))
	s.post("/payments/"+payment+"/refunds", "give back", map[string]string{"amount": "100.00", "date": "2026-11-22"})
}

// hasPayments checks the number of recorded payments of the first invoice, including refunded ones.
func (s *session) hasPayments(want int) {
	s.t.Helper()
	n := s.count(`SELECT count(*) FROM payments p JOIN invoices i ON i.id = p.invoice_id WHERE i.number = $1`, s.number(1))
	assert.Thatf(s.t, n == want, "%d payments, want %d", n, want)
}

// source is an external program that delivers events.
type source struct {
	s               *session
	address, secret string
}

// addSource adds a source as an owner.
func (s *session) addSource() source {
	s.t.Helper()
	s.open("/webhooks/new")
	s.fill(fieldName, s.named("Bank"))
	s.fill(fieldSigningSecret, webhookSecret)
	s.click(buttonAddWebhookSource)
	s.seesHeading(s.named("Bank"))
	return source{s, s.secret(), webhookSecret}
}

// deliver sends an event a number of times at once. Each answer is the status and whether it is a replay, in the order of arrival.
func (b source) deliver(times int, id, body string) <-chan string {
	b.s.t.Helper()
	signer, err := standardwebhooks.NewWebhook(b.secret)
	b.s.check(err, "read the secret")
	now := time.Now()
	signature, err := signer.Sign(id, now, []byte(body))
	b.s.check(err, "sign the event")
	answers := make(chan string, times)
	for range times {
		go func() { answers <- b.post(id, strconv.FormatInt(now.Unix(), 10), signature, body) }()
	}
	return answers
}

func (b source) post(id, at, signature, body string) string {
	request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, b.address, bytes.NewReader([]byte(body)))
	if err != nil {
		return err.Error()
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set(standardwebhooks.HeaderWebhookID, id)
	request.Header.Set(standardwebhooks.HeaderWebhookTimestamp, at)
	request.Header.Set(standardwebhooks.HeaderWebhookSignature, signature)
	response, err := (&http.Client{Timeout: patience}).Do(request)
	if err != nil {
		return err.Error()
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	said := strconv.Itoa(response.StatusCode)
	if response.Header.Get("Idempotent-Replayed") == "true" {
		said += " again"
	}
	return said
}

func received(invoice, payment, amount string) string {
	return fmt.Sprintf(`{"type": "payment.received", "timestamp": "2026-11-23T10:00:00Z",
		"data": {"invoice": %q, "payment": %q, "amount": %q, "currency": "EUR"}}`, invoice, payment, amount)
}
