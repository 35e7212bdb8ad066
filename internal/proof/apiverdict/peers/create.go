package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// invoice is the body of a request.
type invoice struct {
	Number    string   `json:"number"`
	Notes     string   `json:"notes"`
	Customer  customer `json:"customer"`
	IssueDate string   `json:"issue_date"`
	DueDate   string   `json:"due_date"`
	Currency  string   `json:"currency"`
	Lines     []line   `json:"lines"`
}

type customer struct {
	Email string `json:"email"`
}

type line struct {
	Description string `json:"description"`
	Quantity    string `json:"quantity"`
	UnitPrice   string `json:"unit_price"`
	TaxRate     string `json:"tax_rate"`
}

// created is the body of an answer.
type created struct {
	ID       uuid.UUID `json:"id"`
	Number   string    `json:"number"`
	Subtotal int64     `json:"subtotal"` // in cents, like the following fields
	Tax      int64     `json:"tax_total"`
	Total    int64     `json:"total"`
}

// create inserts an invoice.
func (t tenants) create(ctx context.Context, authorization string, body []byte) (answer []byte, err error) {
	of, err := t.of(authorization)
	if err != nil {
		return nil, err
	}
	err = pgx.BeginFunc(ctx, of.pool, func(tx pgx.Tx) error {
		answer, err = of.insert(ctx, tx, body)
		return err
	})
	return answer, err
}

// insert makes up a number that is left out.
func (t tenant) insert(ctx context.Context, tx pgx.Tx, body []byte) ([]byte, error) {
	var in invoice
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return nil, err
	}
	out := created{ID: id, Number: in.Number}
	if out.Number == "" {
		out.Number = "N-" + uuid.NewString()
	}
	nets := make([]int64, len(in.Lines))
	for i, l := range in.Lines {
		if nets[i], err = cents(l.Quantity, l.UnitPrice); err != nil {
			return nil, err
		}
		rate, err := strconv.ParseFloat(l.TaxRate, 64)
		if err != nil {
			return nil, err
		}
		out.Subtotal += nets[i]
		out.Tax += int64(math.Round(float64(nets[i]) * rate / 100))
	}
	out.Total = out.Subtotal + out.Tax

	var customer uuid.UUID
	if err := tx.QueryRow(ctx, `SELECT id FROM customers WHERE tenant_id = $1 AND email_folded = $2 AND merged_into IS NULL`,
		t.id, in.Customer.Email).Scan(&customer); err != nil {
		return nil, fmt.Errorf("find the customer: %w", err)
	}
	if _, err := tx.Exec(ctx, `
		INSERT INTO invoices (tenant_id, id, number, customer_id, currency, issue_date, due_date, notes, subtotal, tax_total, total)
		VALUES ($1, $2, $3, $4, $5, $6::text::date, $7::text::date, $8, $9, $10, $11)`,
		t.id, out.ID, out.Number, customer, in.Currency, in.IssueDate, in.DueDate, in.Notes, out.Subtotal, out.Tax, out.Total,
	); err != nil {
		return nil, fmt.Errorf("insert the invoice: %w", err)
	}
	for i, l := range in.Lines {
		price, err := cents("1", l.UnitPrice)
		if err != nil {
			return nil, err
		}
		if _, err := tx.Exec(ctx, `
			INSERT INTO invoice_lines (tenant_id, invoice_id, position, description, quantity, unit_price, tax_rate, net)
			VALUES ($1, $2, $3, $4, $5::text::numeric, $6, $7::text::numeric, $8)`,
			t.id, out.ID, i+1, l.Description, l.Quantity, price, l.TaxRate, nets[i]); err != nil {
			return nil, fmt.Errorf("insert line %d: %w", i+1, err)
		}
	}
	return json.Marshal(out)
}

// cents multiplies. For real money, use decimals.
func cents(quantity, price string) (int64, error) {
	q, err := strconv.ParseFloat(quantity, 64)
	if err != nil {
		return 0, err
	}
	p, err := strconv.ParseFloat(price, 64)
	return int64(math.Round(q * p * 100)), err
}
