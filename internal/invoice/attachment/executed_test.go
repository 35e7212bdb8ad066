package attachment_test

import (
	"context"
	"io"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/assert"
	"onlyonce/internal/file"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice/attachment"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// TestExecutedSQL compares testdata with the statements that PostgreSQL executes.
func TestExecutedSQL(t *testing.T) {
	b := invoicetest.Setup(t)
	inv := b.Issued("i")
	sql := b.Executed()
	d, err := attachment.Input{File: file.Input{Name: "order.txt", Content: []byte("two")}}.Draft(inv.ID)
	must.OK(t, err)
	made := storetest.Execute(sql, "", attachment.Create, uuid.Nil, 0, d)
	storetest.Refuse(sql, &attachment.Attached, attachment.Create, uuid.Nil, 0, d)
	storetest.List(sql, "attachments of an invoice", storetest.By(attachment.ListOf, inv.ID))
	storetest.Execute(sql, "", attachment.Remove, made.ID, 0, struct{}{})
	storetest.Record(sql, "attachment", attachment.Table, made.ID)
	sql.Lookup("file", func(ctx context.Context, pool *pgxpool.Pool) error {
		content, err := io.ReadAll(file.Open(ctx, pool, b.Tenant, made.File))
		assert.Thatf(t, string(content) == "two", "read %q", content)
		return err
	})
}
