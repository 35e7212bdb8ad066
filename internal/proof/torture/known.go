package torture

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// nearby is the number of customers, invoices and payments per tenant that are changed at a time. It is small, so that changes
// collide.
const nearby = 6

// profile is a customer, an invoice or a payment in an answer.
type profile struct {
	ID         string `json:"id"`
	Email      string `json:"email,omitzero"`
	Name       string `json:"name,omitzero"`
	Version    int    `json:"version"`
	ArchivedAt string `json:"archived_at,omitzero"`

	// Of an invoice.
	Number    string `json:"number,omitzero"`
	Status    string `json:"status,omitzero"`
	Notes     string `json:"notes,omitzero"`
	Total     cents  `json:"total,omitzero"`
	Paid      cents  `json:"paid,omitzero"`
	Became    cents  `json:"became_credit,omitzero"` // credit; not in a stored row, whose Paid is less this
	Credited  cents  `json:"credited,omitzero"`
	Lines     []line `json:"lines,omitzero"`
	IssueDate string `json:"issue_date,omitzero"`
	IssuedAt  string `json:"issued_at,omitzero"`
	BillTo    party  `json:"customer,omitzero"`

	// Of a payment.
	InvoiceID string `json:"invoice_id,omitzero"`
	Amount    cents  `json:"amount,omitzero"`
	Refunded  cents  `json:"refunded,omitzero"`
}

// line is a line of an invoice in an answer.
type line struct {
	Quantity string `json:"quantity"`
}

// party is the customer on an invoice in an answer.
type party struct {
	ID    string `json:"id"`
	Email string `json:"email"`
	Name  string `json:"name"`
}

// content returns the text that an edit sets: see the function [content].
func (p profile) content() string {
	if p.Number != "" {
		return p.Notes
	}
	return p.Name
}

func (p profile) open() cents { return p.Total - p.Paid + p.Became - p.Credited }

// known holds the latest records of a kind, as in the newest answers.
type known struct {
	mu     sync.Mutex
	latest [len(tokens)][]profile // newest first
}

// met adds a record that was created or found.
func (k *known) met(tenant int, c profile) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range k.latest[tenant] {
		if k.latest[tenant][i].ID == c.ID {
			return
		}
	}
	k.latest[tenant] = append([]profile{c}, k.latest[tenant][:min(len(k.latest[tenant]), nearby-1)]...)
}

// seen updates a known record if c is newer.
func (k *known) seen(tenant int, c profile) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i, old := range k.latest[tenant] {
		if old.ID == c.ID && old.Version < c.Version {
			k.latest[tenant][i] = c
		}
	}
}

// at returns the record at an index. It reports false while none is known.
func (k *known) at(tenant, place int) (profile, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.latest[tenant]) == 0 {
		return profile{}, false
	}
	return k.latest[tenant][place%len(k.latest[tenant])], true
}

// fitting returns the first record, from an index on, whose state allows a kind of intent, or else the record at that index.
func (k *known) fitting(tenant, place int, kind kind) (profile, bool) {
	for i := range nearby {
		if found, ok := k.at(tenant, place+i); ok && found.fits(kind) {
			return found, true
		}
	}
	return k.at(tenant, place)
}

// cents is an amount of euros; in the API a string like 12.50.
type cents int64

func (c cents) String() string { return fmt.Sprintf("%d.%02d", c/100, c%100) }

// UnmarshalText parses an amount of the API.
func (c *cents) UnmarshalText(text []byte) error {
	whole, decimals, _ := strings.Cut(string(text), ".")
	amount, err := strconv.ParseInt(whole+decimals, 10, 64)
	if err != nil || len(decimals) != 2 {
		return fmt.Errorf("%q is no amount of euros", text)
	}
	*c = cents(amount)
	return nil
}
