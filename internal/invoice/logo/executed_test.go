package logo_test

import (
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/file"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice/logo"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// TestExecutedSQL compares testdata with the statements that PostgreSQL executes.
func TestExecutedSQL(t *testing.T) {
	b := storetest.Setup(t)
	sql := b.Executed()
	d, err := logo.Input{File: file.Input{Name: "logo.png", Content: encodePNG(t, 3, 2)}}.Draft()
	must.OK(t, err)
	made := storetest.Execute(sql, "", logo.Create, uuid.Nil, 0, d)
	storetest.Execute(sql, "", logo.Remove, made.ID, 0, struct{}{})
	storetest.List(sql, "logos", logo.List)
	storetest.Record(sql, "logo", logo.Table, made.ID)
}
