package command

import (
	"encoding/json"
	"net/http"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
)

// entersAgain creates a lost invoice again, before another one takes its number: its customer already has it.
func (b *bundle) entersAgain(at, token string, lost billed) {
	b.Helper()
	typed := b.invoice(at, token, "entered again", lost.Number)
	assert.Thatf(b, typed.Number == lost.Number, "typed %s, got %s", lost.Number, typed.Number)
	next := b.invoice(at, token, lost.Number, "")
	assert.Thatf(b, next.Number != lost.Number && next.ID != lost.ID, "lost %v, then %v", lost, next)
}

// goesOn repeats a create of the key "kept", and creates the next invoice.
func (b *bundle) goesOn(at, token string, kept billed) {
	b.Helper()
	again := b.invoice(at, token, "kept", "")
	assert.Thatf(b, again == kept, "first %v, then %v", kept, again)
	next := b.invoice(at, token, "next", "")
	assert.Thatf(b, next.Number > kept.Number && len(next.Number) == len(kept.Number), "after %v: %v", kept, next)
}

type billed struct {
	ID     string `json:"id"`
	Number string `json:"number"`
}

// invoice creates an invoice with a key, under a number or the next one.
func (b *bundle) invoice(at, token, key, number string) (made billed) {
	b.Helper()
	command := map[string]any{
		"customer": map[string]string{"email": "bob@example.com", "name": "Bob"}, "currency": "EUR",
		"issue_date": "2026-11-21", "due_date": "2026-12-21",
		"lines": []map[string]string{{"description": key, "quantity": "2", "unit_price": "50.00", "tax_rate": "23"}},
	}
	if number != "" {
		command["number"] = number
	}
	text, err := json.Marshal(command)
	must.OK(b, err)
	r := b.request(http.MethodPost, at+"/api/v1/invoices", "application/json", token, string(text))
	r.Header.Set("Idempotency-Key", key)
	status, body := b.do(http.DefaultClient, r)
	if err := json.Unmarshal([]byte(body), &made); err != nil || status != http.StatusCreated {
		b.Errorf("%s: %d %s", key, status, body)
	}
	return made
}
