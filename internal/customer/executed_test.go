package customer_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/must"
)

// TestExecutedSQL compares testdata with the statements that PostgreSQL executes.
func TestExecutedSQL(t *testing.T) {
	b := storetest.Setup(t)
	sql := b.Executed()
	draft := func(email, name, id string) customer.Draft {
		in := customer.Input{Email: email, Name: name}
		if id != "" {
			in.External = idempotency.External{Source: "shop", ExternalID: id}
		}
		d, err := in.Draft()
		must.OK(t, err)
		return d
	}
	ada := storetest.Execute(sql, "", customer.Upsert, uuid.Nil, 0, draft("ada@example.com", "Ada", ""))
	grace := storetest.Execute(sql, "with an external id", customer.Upsert, uuid.Nil, 0, draft("grace@example.com", "Grace", "1"))
	storetest.Refuse(sql, &customer.Differs, customer.Upsert, uuid.Nil, 0, draft("ada@example.com", "Ada L.", ""))
	storetest.Execute(sql, "", customer.Edit, ada.ID, ada.Version, draft("ada@example.com", "Ada Lovelace", ""))
	storetest.Refuse(sql, &customer.EmailTaken, customer.Edit, grace.ID, grace.Version, draft("ada@example.com", "Ada Lovelace", "1"))
	storetest.Execute(sql, "", customer.Archive, grace.ID, 0, struct{}{})
	storetest.Execute(sql, "", customer.Restore, grace.ID, 0, struct{}{})

	storetest.Pages(sql, "customers", storetest.By(customer.List, customer.Filter{}))
	storetest.List(sql, "archived customers", storetest.By(customer.List, customer.Filter{Archived: true}))
	storetest.List(sql, "customers, a search for two words", storetest.By(customer.List, customer.Filter{Search: "ada lov"}))
	storetest.Pages(sql, "customers by name", storetest.By(customer.List, customer.Filter{Sort: "name"}))
	storetest.Record(sql, "customer", customer.Table, ada.ID)
	storetest.Find(sql, "name of a customer", customer.Names.Of, ada.ID)
	for _, search := range []string{"", "ada"} {
		sql.Lookup(strings.TrimSpace("customers in a choice "+search), func(ctx context.Context, pool *pgxpool.Pool) error {
			_, err := customer.Offer(ctx, pool, b.Tenant, ada.ID, search)
			return err
		})
	}
}
