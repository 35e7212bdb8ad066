package endpoint_test

import (
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/event/endpoint"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// TestExecutedSQL compares testdata with the statements that PostgreSQL executes.
func TestExecutedSQL(t *testing.T) {
	b := storetest.Setup(t)
	sql := b.Executed()
	shop := endpoint.Draft{Address: "https://shop.example/", Operations: "endpoint."}
	made := storetest.Execute(sql, "", endpoint.Add, uuid.Nil, 0, shop)
	storetest.Refuse(sql, &endpoint.AddressTaken, endpoint.Add, uuid.Nil, 0, shop)
	storetest.Record(sql, "endpoint", endpoint.Table, made.ID)
	shop.Operations = ""
	storetest.Execute(sql, "", endpoint.Edit, made.ID, made.Version, shop)
	storetest.Execute(sql, "", endpoint.Disable, made.ID, 0, struct{}{})
	storetest.Execute(sql, "", endpoint.Enable, made.ID, 0, struct{}{})
	storetest.Pages(sql, "deliveries to an endpoint", storetest.By(endpoint.ListDeliveries, made.ID))
	storetest.Execute(sql, "of a delivery that is still waiting", endpoint.Resend,
		storetest.Value[uuid.UUID](b, `SELECT id FROM deliveries LIMIT 1`), 0, struct{}{})
	sql.Section("expire", "old deliveries", func() error { return endpoint.Expire(t.Context(), sql.Pool, b.Tenant) })
}
