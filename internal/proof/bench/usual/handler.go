package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice"
	"onlyonce/internal/record"
)

// service creates invoices for a tenant. The connections of the pool have its id as the setting onlyonce.tenant_id.
type service struct {
	pool   *pgxpool.Pool
	tenant uuid.UUID
}

// handler returns a handler that creates invoices at POST /api/v1/invoices, and responds with nothing at /empty.
func (s service) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/empty", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/html")
	})
	mux.HandleFunc("POST /api/v1/invoices", func(w http.ResponseWriter, r *http.Request) {
		answer, err := s.create(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write(answer) //nolint:gosec // it is JSON
	})
	return mux
}

func (s service) create(r *http.Request) (answer []byte, err error) {
	key := r.Header.Get("Idempotency-Key")
	var in invoice.Input
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return nil, err
	}
	draft, err := in.Draft()
	if err != nil {
		return nil, err
	}
	fingerprint, err := idempotency.FingerprintOf(draft)
	if err != nil {
		return nil, err
	}
	err = pgx.BeginFunc(r.Context(), s.pool, func(tx pgx.Tx) error {
		err := tx.QueryRow(r.Context(), `
			SELECT result FROM intents
			WHERE tenant_id = $1 AND operation = 'invoice.create' AND key = $2`, s.tenant, key).Scan(&answer)
		if err == nil {
			return nil // seen before
		}
		if !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		var id uuid.UUID
		id, answer, err = s.insert(r.Context(), tx, draft)
		if err != nil {
			return err
		}
		_, err = tx.Exec(r.Context(), `
			INSERT INTO intents (
				tenant_id, operation, key, fingerprint, attempt_id, record_id, outcome, actor, result, expires_at)
			VALUES ($1, 'invoice.create', $2, $3, $4, $4, 'created', 'token demo', $5, now() + interval '24 hours')`,
			s.tenant, key, fingerprint[:], id, answer)
		return err
	})
	return answer, err
}

func (s service) insert(ctx context.Context, tx pgx.Tx, d invoice.Draft) (uuid.UUID, []byte, error) {
	shown := invoice.Invoice{
		Number: string(d.Number), Status: "draft", Currency: d.Currency, IssueDate: d.IssueDate, DueDate: d.DueDate,
		Lines: d.Lines, Notes: d.Notes, Header: record.Header{Version: 1},
		Customer: invoice.Buyer{Customer: invoice.Customer{Email: string(d.Customer.Email), Name: d.Customer.Name}},
	}
	var err error
	if shown.ID, err = uuid.NewV7(); err != nil {
		return uuid.Nil, nil, err
	}
	totals, err := invoice.TotalsOf(d.Lines)
	if err != nil {
		return uuid.Nil, nil, err
	}
	shown.Subtotal, shown.TaxTotal, shown.Total = totals.Subtotal, totals.Tax, totals.Total

	if err := tx.QueryRow(ctx, `SELECT id FROM customers WHERE tenant_id = $1 AND email_folded = $2 AND merged_into IS NULL`,
		s.tenant, d.Customer.Email.Folded()).Scan(&shown.Customer.ID); err != nil {
		return uuid.Nil, nil, fmt.Errorf("find the customer: %w", err)
	}
	var taken bool
	if err := tx.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM invoices WHERE tenant_id = $1 AND issue_year = $2 AND number_folded = $3)`,
		s.tenant, d.IssueDate.Year(), d.Number.Folded()).Scan(&taken); err != nil {
		return uuid.Nil, nil, fmt.Errorf("look for the number: %w", err)
	}
	if taken {
		return uuid.Nil, nil, errors.New("number taken: " + string(d.Number))
	}
	if err := tx.QueryRow(ctx, `
		INSERT INTO invoices (
			tenant_id, id, number, customer_id, currency, issue_date, due_date, notes,
			subtotal, tax_total, total)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
		RETURNING created_at`,
		s.tenant, shown.ID, shown.Number, shown.Customer.ID, d.Currency.String(), d.IssueDate.Time(), d.DueDate.Time(),
		d.Notes, totals.Subtotal, totals.Tax, totals.Total).Scan(&shown.CreatedAt); err != nil {
		return uuid.Nil, nil, fmt.Errorf("insert the invoice: %w", err)
	}
	for i, line := range d.Lines {
		if _, err := tx.Exec(ctx, `
			INSERT INTO invoice_lines (tenant_id, invoice_id, position, description, quantity, unit_price, tax_rate, net)
			VALUES ($1, $2, $3, $4, $5::text::numeric, $6, $7::text::numeric, $8)`,
			s.tenant, shown.ID, i+1, line.Description, line.Quantity.String(), line.UnitPrice, line.TaxRate.String(), line.Net,
		); err != nil {
			return uuid.Nil, nil, fmt.Errorf("insert line %d: %w", i+1, err)
		}
	}
	answer, err := json.Marshal(shown)
	return shown.ID, answer, err
}
