package e2e

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// A program outside delivers its events as often as it likes, and people decide on those that do not fit: each is
// recorded once.

const wouldDeliver = "it adds a source of events, which would stay"

// One event comes three times at the same moment, and again later.
func TestEventDeliveredThreeTimesAtOnce(t *testing.T) {
	onlyHere(t, wouldDeliver)
	t.Parallel()
	s := withIssued(t)
	bank := s.addSource()
	event, paid := s.number(10), received(s.number(1), "pay_1", "41.00")
	s.log.forget()

	release := s.lock("payments")
	answers := bank.deliver(3, event, paid)
	s.waiting(3)
	release()

	got := []string{<-answers, <-answers, <-answers}
	slices.Sort(got)
	if want := []string{"200", "200 again", "200 again"}; !slices.Equal(got, want) {
		t.Errorf("the answers are %v, want %v", got, want)
	}
	s.open("/webhook-events?state=applied")
	s.follow(event)
	s.seesHeading(event)
	s.sees("payment.received")
	s.moment()
	s.follow(linkOpenTheInvoice)
	s.sees("41.00 of 123.00 paid.")

	if again := <-bank.deliver(1, event, paid); again != "200 again" {
		t.Errorf("delivered again: %s", again)
	}
	s.hasPaid(s.number(1), 41)
	s.attempts("created", "replayed", "replayed", "replayed")
	if n := s.count(`SELECT count(*) FROM webhook_events WHERE event_id = $1`, event); n != 1 {
		t.Errorf("%d events", n)
	}
}

// An event that is larger than what is open waits for a person, who gives back what was entered by hand, and applies the event: by two
// clicks, and once more in a second tab.
func TestEventIsAppliedOnce(t *testing.T) {
	onlyHere(t, wouldDeliver)
	t.Parallel()
	for name, circumstances := range map[string]struct {
		javaScript option
		attempts   []string
	}{
		"with JavaScript":    {withJavaScript, []string{"changed"}},
		"without JavaScript": {withoutJavaScript, []string{"changed", "replayed"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, event := withUndecided(t, circumstances.javaScript)
			s.click(buttonApply)
			s.seesHeading("The payment is larger than what is open on the invoice.")
			s.sees("Nothing was recorded.")
			s.moment()
			s.hasBooks(s.number(1), booksText("partially_paid", "100.00", "0.00", "23.00", 0, 0))
			s.giveBack()

			s.open(event)
			other := s.tab(event)
			s.log.forget()
			release := s.lock("payments")
			s.pointAt(buttonApply)
			for click := range 2 {
				s.tap(1)
				s.waiting(min(click+1, len(circumstances.attempts)))
			}
			release()
			s.sees(linkOpenTheInvoice)
			s.hasNoAlert()
			s.attempts(circumstances.attempts...)

			other.click(buttonApply)
			other.sees("was already applied.")
			other.hasNoAlert()
			s.attempts(append(circumstances.attempts, "unchanged")...)
			s.hasBooks(s.number(1), booksText("paid", "123.00", "0.00", "0.00", 1, 0))
			s.hasPayments(2)
		})
	}
}

// Back brings the page of the event as it is now, without the button that was pressed.
func TestBackToAnEventThatWasApplied(t *testing.T) {
	onlyHere(t, wouldDeliver)
	t.Parallel()
	s, event := undecided(startIn(t, withoutPageCache))
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

// One tab says that nothing is to be done, and the other one, which still shows both buttons, that the event is to be applied.
func TestEventDismissedAndAppliedInTwoTabs(t *testing.T) {
	onlyHere(t, wouldDeliver)
	t.Parallel()
	s, event := withUndecided(t)
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

// withUndecided is start on the page of an event that does not fit: of the 123.00 of the invoice 100.00 are paid, and it reports
// 123.00. event is the address of the page.
func withUndecided(t *testing.T, circumstances ...option) (s *session, event string) {
	t.Helper()
	return undecided(start(t, circumstances...))
}

func undecided(s *session) (_ *session, event string) {
	s.t.Helper()
	s.login()
	s.payByAPI(s.issuedByAPI(s.number(1)), "100.00", s.number(20))
	bank := s.addSource()
	if answer := <-bank.deliver(1, s.number(10), received(s.number(1), "pay_1", "123.00")); answer != "200" {
		s.t.Errorf("delivered: %s", answer)
	}
	s.open("/webhook-events?state=undecided")
	s.follow(s.number(10))
	s.seesHeading(s.number(10))
	s.log.forget()
	return s, s.page.URL()
}

// giveBack refunds what was paid of the first invoice.
func (s *session) giveBack() {
	s.t.Helper()
	var payment string
	s.query(&payment, `SELECT id::text FROM payments WHERE reference = $1`, s.number(20))
	s.post("/payments/"+payment+"/refunds", "give back", map[string]string{"amount": "100.00", "date": "2026-11-22"})
}

// hasPayments holds how many payments of the first invoice were recorded, whatever was given back of them.
func (s *session) hasPayments(want int) {
	s.t.Helper()
	n := s.count(`SELECT count(*) FROM payments p JOIN invoices i ON i.id = p.invoice_id WHERE i.number = $1`, s.number(1))
	if n != want {
		s.t.Errorf("%d payments, want %d", n, want)
	}
}

// source is a program outside that delivers events.
type source struct {
	s               *session
	address, secret string
}

// addSource is an owner who adds a source by two clicks. Its secret is not shown again.
func (s *session) addSource() source {
	s.t.Helper()
	const secret = "whsec_b25seW9uY2UtYnJvd3Nlci1vbmx5b25jZS1icm93c2Vy"
	s.open("/webhooks/new")
	s.fill(fieldName, s.named("Bank"))
	s.fill(fieldSigningSecret, secret)
	s.pointAt(buttonAddWebhookSource)
	s.tap(2)
	s.seesHeading(s.named("Bank"))
	if n := s.count(`SELECT count(*) FROM webhook_sources WHERE name = $1`, s.named("Bank")); n != 1 {
		s.t.Errorf("%d sources", n)
	}
	page, err := s.page.Content()
	s.check(err, "read the page")
	if strings.Contains(page, secret) {
		s.t.Error("the secret is shown")
	}
	return source{s, s.secret(), secret}
}

// deliver sends an event so many times at once. The answers come in the order of their ends: the status, and whether it is a replay.
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

// received is the event that an invoice was paid.
func received(invoice, payment, amount string) string {
	return fmt.Sprintf(`{"type": "payment.received", "timestamp": "2026-11-23T10:00:00Z",
		"data": {"invoice": %q, "payment": %q, "amount": %q, "currency": "EUR"}}`, invoice, payment, amount)
}
