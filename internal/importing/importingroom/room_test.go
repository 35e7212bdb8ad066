package importingroom_test

import (
	"testing"

	"onlyonce/internal/app"
	"onlyonce/internal/app/apptest"
	"onlyonce/internal/customer/customerimport"
	"onlyonce/internal/file"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/importing"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// TestImportIsCarriedOut checks that the app runs the job of an import.
func TestImportIsCarriedOut(t *testing.T) {
	b := storetest.Setup(t)
	b.Exec(`INSERT INTO api_tokens (tenant_id, token_hash, name) VALUES ($1, sha256('valid'), 'sync')`, b.Tenant)
	d, err := customerimport.Kind.Draft(importing.Input{File: file.Input{Name: "customers.csv", Content: []byte("Name\nAda\nGrace\n")}})
	must.OK(t, err)
	uploaded, err := customerimport.Kind.Upload.Do(t.Context(), b.Store, b.Intent("upload"), d)
	must.OK(t, err)
	confirm := b.Intent("confirm")
	confirm.Record, confirm.Actor = uploaded.Value.ID, "token sync"
	b.OK(customerimport.Kind.Confirm.Do(t.Context(), b.Store, confirm, importing.Settings{}))
	started := apptest.On(t, b.DB)
	started.Start(func(c *app.Config) { c.Demo = false })
	must.Until(t, "the customers are created", func() bool { return started.Number(`SELECT count(*) FROM customers`) == 2 })
}
