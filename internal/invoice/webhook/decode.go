package webhook

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
)

// ErrMalformed means that a delivery is not an event: its body is not a single JSON object without duplicate names, or its id is missing
// or invalid.
var ErrMalformed = errors.New("malformed event")

// Limits of the stored fields of an event besides its body, in characters.
const (
	maxEventID = 150
	maxText    = 100
)

// decode parses the body of an event, and returns a digest of its content. Neither the JSON formatting nor Stripe's count of pending
// deliveries changes the digest.
func decode(scheme, header string, body []byte) (id string, digest []byte, asked Asked, err error) {
	var content map[string]any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&content); err != nil || content == nil || !jsontext.Value(body).IsValid(jsontext.AllowInvalidUTF8(true)) {
		return "", nil, Asked{}, fmt.Errorf("%w: the body is not one JSON object whose members come once", ErrMalformed)
	}
	id = header
	if scheme == Stripe {
		id, _ = content["id"].(string)
		delete(content, "pending_webhooks")
	}
	if id == "" || len(id) > maxEventID || strings.ContainsFunc(id, invisible) {
		return "", nil, Asked{}, fmt.Errorf("%w: its id is not 1 to %d visible ASCII characters", ErrMalformed, maxEventID)
	}
	canonical, err := json.Marshal(content)
	if err != nil {
		return "", nil, Asked{}, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	sum := sha256.Sum256(canonical)
	if scheme == Stripe {
		asked = readStripe(body)
	} else {
		asked = readStandard(body)
	}
	asked.Type, _ = content["type"].(string)
	asked.bound()
	return id, sum[:], asked, nil
}

// unmarshal decodes the known members of a body. Unlike encoding/json, it matches names case-sensitively. It continues after a value of
// the wrong type.
func unmarshal(body []byte, v any) error {
	err := jsonv2.Unmarshal(body, v, jsonv1.ReportErrorsWithLegacySemantics(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return fmt.Errorf("read the event: %w", err)
	}
	return nil
}

// readStandard parses an event in the format of docs/webhooks.md.
func readStandard(body []byte) (a Asked) {
	var event struct {
		Type      string    `json:"type"`
		Timestamp time.Time `json:"timestamp"`
		Data      struct {
			Invoice  string `json:"invoice"`
			Payment  string `json:"payment"`
			Amount   string `json:"amount"`
			Refunded string `json:"refunded"`
			Currency string `json:"currency"`
		} `json:"data"`
	}
	err := unmarshal(body, &event)
	text, name := event.Data.Amount, "amount"
	switch event.Type {
	case "payment.received":
		a.Kind = KindPayment
	case "payment.refunded":
		a.Kind, text, name = KindRefund, event.Data.Refunded, "refunded"
	default:
		return a
	}
	a.Invoice, a.Reference = event.Data.Invoice, event.Data.Payment
	if err != nil {
		a.Problem = "It doesn't have the documented form."
		return a
	}
	a.check(event.Data.Currency, event.Timestamp, func() (int64, error) { return a.Currency.Parse(text) }, "data."+name)
	return a
}

// readStripe parses the supported events of Stripe. The metadata of the payment intent has the invoice, and its id is the reference of
// the payment.
func readStripe(body []byte) (a Asked) {
	var event struct {
		Type    string `json:"type"`
		Created int64  `json:"created"` // Unix time
		Data    struct {
			Object struct {
				ID             string            `json:"id"`
				PaymentIntent  string            `json:"payment_intent"` // in a charge
				AmountReceived int64             `json:"amount_received"`
				AmountRefunded int64             `json:"amount_refunded"`
				Currency       string            `json:"currency"` // in lower case
				Metadata       map[string]string `json:"metadata"`
			} `json:"object"`
		} `json:"data"`
	}
	err := unmarshal(body, &event)
	object := event.Data.Object
	amount, name := object.AmountReceived, "amount_received"
	switch event.Type {
	case "payment_intent.succeeded":
		a.Kind, a.Reference = KindPayment, object.ID
	case "charge.refunded":
		a.Kind, a.Reference = KindRefund, object.PaymentIntent
		amount, name = object.AmountRefunded, "amount_refunded"
	default:
		return a
	}
	a.Invoice = object.Metadata["invoice"]
	if err != nil {
		a.Problem = "It doesn't have the form that Stripe documents."
		return a
	}
	at := time.Unix(event.Created, 0)
	a.check(strings.ToUpper(object.Currency), at, func() (int64, error) { return fromStripe(amount, a.Currency) }, "data.object."+name)
	return a
}

// fromStripe converts an amount of Stripe to minor units of ISO 4217, which differ for some currencies.
func fromStripe(amount int64, currency money.Currency) (int64, error) {
	decimals := currency.Decimals()
	switch currency.String() {
	case "ISK", "UGX":
		decimals = 2
	case "MGA":
		decimals = 0
	}
	digits := strconv.FormatInt(amount, 10)
	if decimals > 0 {
		digits = fmt.Sprintf("%0*d", decimals+1, amount)
		whole := len(digits) - int(decimals)
		digits = digits[:whole] + "." + digits[whole:]
	}
	return currency.Parse(digits)
}

// check completes the parsed fields, and stores the first mistake. amount is the name of the amount's member.
func (a *Asked) check(currency string, at time.Time, parse func() (int64, error), amount string) {
	var known bool
	var err error
	if a.Currency, known = money.ParseCurrency(currency); !known {
		a.Problem = "Its currency is missing or unknown."
		return
	}
	if a.Amount, err = parse(); err != nil || a.Amount == 0 {
		a.Problem = "Its " + amount + " is not an amount of " + currency + " above 0."
	}
	a.At = at
	first, last := date.Of(at.UTC()).AddDays(-1), date.Of(at.UTC()).AddDays(1) // in any time zone
	if first.Year() < date.FirstEntryYear || last.Year() > date.LastEntryYear {
		a.Problem = "It doesn't say when it happened, or the year isn't from 2000 to 2099."
	}
	if a.Reference == "" {
		a.Problem = "It doesn't say which payment it's about."
	}
}

// bound shortens texts that are longer than any known value, and removes characters that PostgreSQL refuses.
func (a *Asked) bound() {
	for _, text := range []*string{&a.Type, &a.Invoice, &a.Reference} {
		clean := strings.Map(func(r rune) rune {
			if r < ' ' {
				return -1
			}
			return r
		}, strings.ToValidUTF8(*text, ""))
		if runes := []rune(clean); len(runes) > maxText {
			clean = string(runes[:maxText])
		}
		if clean != *text && a.Kind != "" {
			a.Problem = "It has text that is too long, or characters that nobody can see."
		}
		*text = clean
	}
}
