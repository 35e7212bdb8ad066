package bench

import (
	"context"
	"fmt"
	"net/http"
	"path"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/postgres/server"
)

// series asks what suggesting and allocating a number costs in a year in which people have typed many numbers
// of its form themselves, or imported them, while the series has allocated none.
func (b *bench) series(ctx context.Context) error {
	for _, c := range []struct {
		name  string
		every int
	}{
		{"without a gap", 1},
		{"with a gap behind each", 2},
	} {
		if err := b.numbers(ctx, fmt.Sprintf("%s typed numbers %s", thousands(b.Typed), c.name), c.every); err != nil {
			return err
		}
	}
	return nil
}

// numbers compares a year with typed numbers to one without.
func (b *bench) numbers(ctx context.Context, in string, every int) error {
	with, err := b.typedNumbers(ctx, fmt.Sprintf("typed_%d", every), b.Typed, every)
	if err != nil {
		return err
	}
	defer with.stop()
	without, err := b.typedNumbers(ctx, fmt.Sprintf("untyped_%d", every), 0, every)
	if err != nil {
		return err
	}
	defer without.stop()
	many, err := newSite(ctx, with.origin, with.database)
	if err != nil {
		return err
	}
	none, err := newSite(ctx, without.origin, without.database)
	if err != nil {
		return err
	}
	for _, k := range numberKinds() {
		here, there, err := compare(ctx, k, many, none, turns*b.Rounds, b.pace())
		if err != nil {
			return err
		}
		b.add(grows(k.name+", "+in, here, "with none", there))
	}
	return nil
}

// typedNumbers starts a server on a database in which no number was ever allocated, and every so many of the
// first numbers of this year were typed, count in all.
func (b *bench) typedNumbers(ctx context.Context, name string, count, every int) (populatedService, error) {
	s, err := b.populated(ctx, name, few)
	if err != nil {
		return s, err
	}
	if err := typeNumbers(ctx, s.database, count, every); err != nil {
		s.stop()
		return s, err
	}
	return s, nil
}

// typeNumbers leaves only invoices with typed numbers.
func typeNumbers(ctx context.Context, db database, count, every int) error {
	return db.admin().exec(ctx,
		`SET session_replication_role = replica`,             // without triggers, which count each number by itself
		`TRUNCATE mails, invoices, `+takenNumbers+` CASCADE`, // in the order in which mails are sent
		past(count),
		fmt.Sprintf(`
			INSERT INTO invoices (
				tenant_id, id, number, customer_id, currency, issue_date, due_date, notes,
				subtotal, tax_total, total, created_at)
			SELECT past.tenant_id, past.id,
				format_invoice_number(extract(year FROM now())::integer, n * %d), customers.id, 'EUR',
				current_date, current_date + 30, '', 0, 0, 0, at
			FROM past JOIN customers ON customers.tenant_id = past.tenant_id AND customers.email = '%s'`, every, regularEmail),
		`INSERT INTO `+takenNumbers+` (tenant_id, year, first, last)
			SELECT tenant_id, issue_year, min(place), max(place)
			FROM (
				SELECT tenant_id, issue_year, place, place - row_number() OVER (ORDER BY place) AS run
				FROM invoices, series_place(number_folded, issue_year) AS place) AS taken
			GROUP BY tenant_id, issue_year, run`,
		// What has to be there again after each allocation.
		`CREATE TABLE taken_before AS TABLE `+takenNumbers,
		`VACUUM ANALYZE`,
		`CHECKPOINT`,
	)
}

// takenNumbers is the table that says which numbers of a series are taken.
const takenNumbers = "invoice_number_runs"

func numberKinds() []kind {
	var form, create kind
	for _, k := range kinds() {
		switch k.name {
		case invoiceForm:
			form = k
		case allocatedNumber:
			create = k
		}
	}
	first := create
	first.name += ", the first of the year"
	first.undo = unallocate
	return []kind{form, first, create}
}

// unallocate brings the series back to where it was before an invoice was created.
func unallocate(ctx context.Context, s *site, answer http.Header) error {
	conn, err := server.Connect(ctx, s.db.admin().url())
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	var batch pgx.Batch
	id := path.Base(answer.Get("Location"))
	batch.Queue(`SET session_replication_role = replica`) // no triggers: they would note the deletion
	batch.Queue(`DELETE FROM invoice_lines WHERE tenant_id = $1 AND invoice_id = $2`, acme, id)
	batch.Queue(`DELETE FROM invoices WHERE tenant_id = $1 AND id = $2`, acme, id)
	batch.Queue(`DELETE FROM ` + takenNumbers)
	batch.Queue(`INSERT INTO ` + takenNumbers + ` TABLE taken_before`)
	return conn.SendBatch(ctx, &batch).Close()
}
