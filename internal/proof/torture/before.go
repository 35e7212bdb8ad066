package torture

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// before holds the records from before the clients started.
type before struct {
	records    map[string]bool // ids of the demo data's records
	businesses [len(tokens)]profile
}

func loadBefore(ctx context.Context, conn *pgx.Conn) (found before, err error) {
	result, err := conn.Query(ctx, `
		SELECT id::text FROM invoices UNION ALL SELECT id::text FROM customers UNION ALL SELECT id::text FROM payments
		UNION ALL SELECT id::text FROM refunds UNION ALL SELECT id::text FROM credit_notes UNION ALL SELECT id::text FROM mails`)
	if err != nil {
		return found, err
	}
	found.records = map[string]bool{}
	var id string
	_, err = pgx.ForEachRow(result, []any{&id}, func() error {
		found.records[id] = true
		return nil
	})
	if err != nil {
		return found, fmt.Errorf("read the demo data: %w", err)
	}
	result, err = conn.Query(ctx, `
		WITH `+numberedTenants+` SELECT n, id::text, version, name FROM settings JOIN tenant USING (tenant_id)`, tokens[:])
	if err != nil {
		return found, err
	}
	var tenant int
	var business profile
	_, err = pgx.ForEachRow(result, []any{&tenant, &business.ID, &business.Version, &business.Name}, func() error {
		found.businesses[tenant] = business
		return nil
	})
	if err != nil {
		return found, fmt.Errorf("read the settings: %w", err)
	}
	return found, nil
}

// versions returns the versions of the businesses, by id.
func (b before) versions() map[string]int {
	found := map[string]int{}
	for _, business := range b.businesses {
		found[business.ID] = business.Version
	}
	return found
}
