package bench

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/postgres/server"
)

// volumeTenants are so many that each invoice is stored far from the one that was created before.
const volumeTenants = 10_000

// volume asks what an invoice of three lines takes in the database, where many tenants create theirs in turns: what a million of them,
// or a year of a load, will take follows from that.
func (b *bench) volume(ctx context.Context) error {
	db, err := b.cluster.create(ctx, "volume")
	if err != nil {
		return err
	}
	server, err := b.startServer(ctx, "DATABASE_URL="+db.url())
	if err != nil {
		return err
	}
	defer server.stop()
	tenants := fmt.Sprintf(`INSERT INTO tenants (id, name) SELECT new_id(), 'Tenant ' || n FROM generate_series(1, %d) AS n`, volumeTenants)
	if err := db.admin().exec(ctx, tenants, growthTokens, `VACUUM ANALYZE`, `CHECKPOINT`); err != nil {
		return err
	}
	before, err := stored(ctx, db)
	if err != nil {
		return err
	}
	l := b.load
	l.tenants = volumeTenants
	for made := 0; made < b.Volume; {
		s, err := l.run(ctx, typed, server.origin+invoicesPath, 16)
		if err != nil {
			return err
		}
		made += s.Requests
	}
	server.stop()
	after, err := stored(ctx, db)
	if err != nil {
		return err
	}
	began := time.Now()
	if err := db.admin().exec(ctx, `VACUUM`); err != nil {
		return err
	}
	b.addVolume(before, after, time.Since(began))
	return nil
}

// storage is what a database holds, in bytes, and how much it has done.
type storage struct {
	invoices, wal, transactions, dead float64
	result                            float64 // of one intent, until it expires
	tables                            []tableSize
}

// tableSize is in bytes.
type tableSize struct {
	Name          string
	Rows, Indexes float64
}

func stored(ctx context.Context, db database) (s storage, err error) {
	conn, err := server.Connect(ctx, db.admin().url())
	if err != nil {
		return s, err
	}
	defer conn.Close(ctx)
	err = conn.QueryRow(ctx, `
		SELECT (SELECT count(*) FROM invoices), pg_current_wal_lsn() - '0/0', pg_snapshot_xmax(pg_current_snapshot())::text::bigint,
			(SELECT sum(n_dead_tup) FROM pg_stat_user_tables), (SELECT avg(pg_column_size(result)) FROM intents)`).
		Scan(&s.invoices, &s.wal, &s.transactions, &s.dead, &s.result)
	if err != nil {
		return s, err
	}
	rows, _ := conn.Query(ctx, `
		SELECT relname, pg_table_size(oid), pg_indexes_size(oid) FROM pg_class
		WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY relname`) // CollectRows returns its error
	s.tables, err = pgx.CollectRows(rows, pgx.RowToStructByPos[tableSize])
	return s, err
}

// volumeFigure is what the names of these figures begin with.
const volumeFigure = "an invoice of three lines: "

func (b *bench) addVolume(before, after storage, vacuum time.Duration) {
	invoices := after.invoices - before.invoices
	each := func(what, unit string, of float64) Figure { return alone(volumeFigure+what, unit, of/invoices) }
	var rows, indexes float64
	var grown []Figure
	for i, t := range after.tables {
		rows, indexes = rows+t.Rows-before.tables[i].Rows, indexes+t.Indexes-before.tables[i].Indexes
		more := t.Rows + t.Indexes - before.tables[i].Rows - before.tables[i].Indexes
		if more/invoices >= 10 {
			grown = append(grown, each("in "+t.Name, kilobytes, more/1e3).noting(
				fmt.Sprintf("%.2f of them in indexes", (t.Indexes-before.tables[i].Indexes)/1e3/invoices)))
		}
	}
	slices.SortFunc(grown, func(a, b Figure) int { return cmp.Compare(b.Ours.Median, a.Ours.Median) })
	b.add(each("stored", kilobytes, (rows+indexes)/1e3).noting(fmt.Sprintf("%.2f of them in indexes; %s invoices of %s tenants",
		indexes/1e3/invoices, thousands(int(invoices)), thousands(volumeTenants))))
	b.add(grown...)
	b.add(
		alone(volumeFigure+"the result in intents, until it expires", kilobytes, after.result/1e3),
		each("written to the log", kilobytes, (after.wal-before.wal)/1e3),
		each("transactions", count, after.transactions-before.transactions),
		each("dead rows", count, after.dead-before.dead),
		each("vacuum", micros, float64(vacuum.Microseconds())),
	)
}

// volumeChart draws what an invoice takes in each table.
func (r Report) volumeChart() string {
	const row = 20.0
	var b strings.Builder
	var most float64
	y := 40.0
	for _, f := range r.Figures {
		table, ok := strings.CutPrefix(f.Name, volumeFigure+"in ")
		if !ok {
			continue
		}
		most = max(most, f.Ours.Median) // the first one
		b.WriteString(bar(y, row, "ours", table, f.Ours.Median/most, amount(f.Ours.Median)+" KB"))
		y += row
	}
	return chart("What an invoice of three lines takes in the database, with indexes", y+10, b.String())
}
