package settings

import (
	"cmp"
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/record"
)

// Edit changes the settings.
var Edit = idempotency.Define(idempotency.Spec[Draft, Settings]{
	Kind: idempotency.Change, Name: "settings.edit", Table: Table,
	Run: func(ctx context.Context, tx pgx.Tx, i idempotency.Intent, d Draft) (Settings, error) {
		_, err := tx.Exec(ctx, `
			UPDATE settings SET (`+columns+`) = (`+values+`)
			WHERE tenant_id = @tenant_id AND id = @record_id AND (`+columns+`) IS DISTINCT FROM (`+values+`)`,
			pgx.NamedArgs{
				"tenant_id": i.Tenant, "record_id": i.Record,
				"name": d.Name, "email": string(d.Email), "address": d.Address, "country": d.Country, "tax_id": d.TaxID,
				"account_holder": d.AccountHolder, "account_number": d.AccountNumber, "bic": d.BIC,
				"currency": d.Currency.String(), "tax_rate": d.TaxRate, "payment_days": d.PaymentDays,
				"footer": d.Footer, "time_zone": cmp.Or(d.TimeZone, "UTC"),
			})
		if err != nil {
			return Settings{}, err
		}
		return record.FindIn(ctx, tx, Table, i.Tenant, i.Record)
	},
})

const (
	columns = `name, email, address, country, tax_id, account_holder, account_number, bic, currency, tax_rate, payment_days, footer,
		time_zone`
	values = `@name, @email, @address, @country, @tax_id, @account_holder, @account_number, @bic, @currency,
		NULLIF(@tax_rate, '')::numeric, @payment_days::integer, @footer, @time_zone`
)

// Of returns the settings of a tenant.
func Of(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID) (Settings, error) {
	return record.Find(ctx, pool, Table, tenant, tenant)
}
