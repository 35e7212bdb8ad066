package invoiceroom

import (
	"context"
	"errors"
	"fmt"
	"time"

	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/schedule"
	"onlyonce/internal/invoice/webhook"
	"onlyonce/internal/room"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/party"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// books are the invoices of a demo tenant.
type books struct {
	room.Tenant

	work     []invoice.LineInput
	abroad   []assignment
	invoices int // over the last year
	// twin is the position of an invoice with the content of the one before it, entered twice; 0 for none.
	twin    int
	untaxed map[string]invoice.Treatment // by the country of the customer: an Irish business bills services abroad without tax
	sources []source                     // of webhooks
}

// assignment is work for a customer abroad, in their currency.
type assignment struct {
	customer customer.Input
	currency string
	work     []invoice.LineInput
}

func booksOf(t room.Tenant) books {
	if t.Business.Currency == "USD" {
		return books{
			Tenant: t, invoices: 24,
			work: []invoice.LineInput{
				{Description: "Site survey", Quantity: "1", UnitPrice: "950.00"},
				{Description: "Controller firmware", Quantity: "18", Unit: "HUR", UnitPrice: "135.00"},
				{Description: "Pressure sensor PS-4", Quantity: "40", UnitPrice: "27.35"},
				{Description: "On-call support", Quantity: "1", Unit: "MON", UnitPrice: "1200.00"},
				{Description: "Calibration", Quantity: "8", UnitPrice: "64.00"},
			},
		}
	}
	return books{
		Tenant: t, invoices: 54, twin: 50, sources: demoSources(),
		untaxed: map[string]invoice.Treatment{
			"DE": invoice.ReverseCharge, "FR": invoice.ReverseCharge,
			"JP": invoice.OutsideScope, "NO": invoice.OutsideScope, "US": invoice.OutsideScope,
		},
		work: []invoice.LineInput{
			{Description: "Brand workshop", Quantity: "1", UnitPrice: "1800.00"},
			{Description: "Website design", Quantity: "12.5", Unit: "HUR", UnitPrice: "95.00"},
			{Description: "Illustration set", Quantity: "6", UnitPrice: "140.00"},
			{Description: "Packaging concept", Quantity: "1", UnitPrice: "2450.00"},
			{Description: "Font licence", Quantity: "2", UnitPrice: "89.90"},
			{Description: "Print supervision", Quantity: "1.5", Unit: "DAY", UnitPrice: "620.00"},
			{Description: "Photo retouching", Quantity: "24", UnitPrice: "12.50"},
		},
		abroad: []assignment{
			{
				customer: customer.Input{
					Email: "keiri@hoshino-tea.example", Name: "Hoshino Tea",
					Texts: customer.Texts{Details: party.Details{Address: "2-14 Teramachi\nKyoto 604-8091", Country: "JP"}},
				},
				currency: "JPY",
				work: []invoice.LineInput{
					{Description: "Label design", Quantity: "3", UnitPrice: "68000"},
					{Description: "Tea tin, packaging concept", Quantity: "1", UnitPrice: "240000"},
					{Description: "Website translation, pages", Quantity: "14", UnitPrice: "5500"},
				},
			},
			{
				customer: customer.Input{
					Email: "payables@larkspur-outdoor.example", Name: "Larkspur Outdoor",
					Texts: customer.Texts{Details: party.Details{Address: "212 Pearl Street\nBoulder, CO 80302", Country: "US"}},
				},
				currency: "USD",
				work: []invoice.LineInput{
					{Description: "Catalogue layout, pages", Quantity: "32", UnitPrice: "85.00"},
					{Description: "Product photography", Quantity: "2", Unit: "DAY", UnitPrice: "1150.00"},
				},
			},
		},
	}
}

// repeat creates a schedule with two due periods, and bills them.
func (b books) repeat(ctx context.Context, store *idempotency.Store) (news bool, err error) {
	key, err := idempotency.ParseKey("demo-schedule")
	if err != nil {
		return false, err
	}
	if _, used, err := schedule.Create.Definition.Used(ctx, store, b.ID, key); err != nil || used {
		return false, err // the job bills the rest
	}
	first, err := idempotency.ParseKey("demo-customer-1")
	if err != nil {
		return false, err
	}
	billed, _, err := customer.Upsert.Definition.Used(ctx, store, b.ID, first)
	if err != nil {
		return false, err
	}
	line := b.work[0]
	line.TaxRate = b.Business.TaxRate
	d, err := schedule.Input{
		CustomerID: billed.String(), Currency: b.Business.Currency, Lines: []invoice.LineInput{line}, Every: "1", Unit: schedule.Month,
		FirstDay: date.Today().AddDays(-35).String(), BillAs: schedule.AsIssued, Missed: schedule.Each, //nolint:mnd // two periods ago
	}.Draft()
	if err != nil {
		return false, err
	}
	_, err = schedule.Create.Do(ctx, store, idempotency.Intent{Tenant: b.ID, Key: key, Actor: "demo"}, d)
	if _, others := errors.AsType[*idempotency.MismatchError](err); others { // a replica started on another day
		err = nil
	}
	if err != nil {
		return false, err
	}
	return true, schedule.Clockwork{Store: store, Now: time.Now}.Run(ctx, b.ID)
}

// source is a webhook source of the demo.
type source struct {
	id   uuid.UUID
	name string
}

// demoSources returns sources of one provider with a public secret. docs/webhooks.md uses the first.
func demoSources() []source {
	return []source{
		{uuid.MustParse("0a3e0000-0000-7000-8000-0000000000f0"), "Demo bank"},
		{uuid.MustParse("0a3e0000-0000-7000-8000-0000000000f1"), "Demo bank, another account"},
	}
}

const demoSecret = "whsec_b25seW9uY2UtZGVtby1vbmx5b25jZS1kZW1v"

// addSources creates the missing sources and their secrets, without an operation: the address of one is in the documentation, so its id
// must not change.
func (b books) addSources(ctx context.Context, pool *pgxpool.Pool, vault webhook.Vault) error {
	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `SELECT set_config('onlyonce.tenant_id', $1::text, true)`, b.ID)
		if err != nil {
			return err
		}
		for _, s := range b.sources {
			made, err := tx.Exec(ctx, `
				INSERT INTO webhook_sources (tenant_id, id, name, scheme, named_provider) VALUES ($1, $2, $3, 'standard', 'Demo bank')
				ON CONFLICT DO NOTHING`, b.ID, s.id, s.name)
			if err == nil && made.RowsAffected() > 0 {
				_, err = tx.Exec(ctx, `INSERT INTO webhook_secrets (tenant_id, id, source_id, sealed) VALUES ($1, $2, $2, $3)`,
					b.ID, s.id, vault.Seal(demoSecret, b.ID, s.id))
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("add the webhook sources of the demo: %w", err)
	}
	return nil
}
