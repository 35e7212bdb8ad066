package settings

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/idempotency"
)

// Edit changes the settings.
var Edit = idempotency.Define(idempotency.Spec[Draft, Settings]{
	Kind: idempotency.Change, Name: "settings.edit", Table: Table,
	Statements: func(tx *idempotency.Tx, d Draft) idempotency.Result {
		tx.Exec(`
			UPDATE settings SET (`+columns+`) = (`+values+`)
			WHERE tenant_id = @tenant_id AND id = @record_id AND (`+columns+`) IS DISTINCT FROM (`+values+`)`,
			pgx.NamedArgs{
				"name": d.Name, "address": d.Address, "country": d.Country, "tax_id": d.TaxID,
				"account_holder": d.AccountHolder, "account_number": d.AccountNumber, "bic": d.BIC,
				"currency": d.Currency.String(), "tax_rate": d.TaxRate, "payment_days": d.PaymentDays,
			})
		return tx.Record()
	},
})

const (
	columns = `name, address, country, tax_id, account_holder, account_number, bic, currency, tax_rate, payment_days`
	values  = `@name, @address, @country, @tax_id, @account_holder, @account_number, @bic, @currency,
		NULLIF(@tax_rate, '')::numeric, @payment_days::integer`
)

// Of gives the settings of a tenant.
func Of(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID) (Settings, error) {
	return Table.Find(ctx, pool, tenant, tenant)
}
