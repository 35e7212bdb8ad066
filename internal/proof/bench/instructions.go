package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice"
	"onlyonce/internal/postgres"
	"onlyonce/internal/postgres/server"
	"onlyonce/internal/record"
)

// instructions counts what a backend of PostgreSQL executes for a create, a replay and a page of a list, next to the floor. Unlike times,
// the counts hardly depend on the machine and its load.
func (b *bench) instructions(ctx context.Context) error {
	valgrind, err := exec.LookPath("valgrind")
	if err != nil {
		return fmt.Errorf("valgrind is missing (apt install valgrind): %w", err)
	}
	counting, err := b.startCounting(ctx, valgrind)
	if err != nil {
		return err
	}
	defer func() { _ = counting.process.Stop(context.WithoutCancel(ctx)) }()
	floor := strings.ReplaceAll(floorScript, ":tenant", "$1")
	tenant := uuid.MustParse(acme)
	create := func(ctx context.Context, store *idempotency.Store, n int, key string) error {
		d, err := typedDraft(n, key)
		if err != nil {
			return err
		}
		k, err := idempotency.ParseKey(key)
		if err == nil {
			_, err = invoice.Create.Do(ctx, store, idempotency.Intent{Tenant: tenant, Key: k, Actor: "token demo"}, d)
		}
		return err
	}
	kinds := []struct {
		name string
		mark float64
		do   func(context.Context, *pgxpool.Pool, int) error
	}{
		{"floor", 0, func(ctx context.Context, pool *pgxpool.Pool, _ int) error {
			return postgres.InTenant(ctx, pool, tenant, func(tx pgx.Tx) error {
				_, err := tx.Exec(ctx, floor, tenant)
				return err
			})
		}},
		{"create", 1.7, func(ctx context.Context, pool *pgxpool.Pool, n int) error {
			return create(ctx, storeOn(pool), n, uuid.NewString())
		}},
		{"replay from the database", 0.04, func(ctx context.Context, pool *pgxpool.Pool, _ int) error {
			return create(ctx, storeOn(pool), 0, "the same")
		}},
		{"list of 50 invoices", 4.6, func(ctx context.Context, pool *pgxpool.Pool, _ int) error {
			_, err := invoice.List(ctx, pool, tenant, invoice.Filter{}, record.Page{Limit: 50})
			return err
		}},
	}
	counts := make([]float64, len(kinds))
	for i, kind := range kinds {
		if counts[i], err = counting.each(ctx, kind.do); err != nil {
			return fmt.Errorf("%s: %w", kind.name, err)
		}
	}
	for i, kind := range kinds[1:] {
		f := against(kind.name+", instructions", millions, counts[i+1:i+2], "the same rows in one statement", counts[:1])
		b.add(f.atMost(kind.mark))
	}
	return nil
}

func storeOn(pool *pgxpool.Pool) *idempotency.Store {
	return &idempotency.Store{Pool: pool, Wait: time.Minute, Timeout: 2 * time.Minute}
}

// typedDraft returns the command that load.lua sends for a typed number.
func typedDraft(n int, key string) (invoice.Draft, error) {
	return invoice.Input{
		Number:   "I-" + strings.ToUpper(key[:8]) + "-" + strconv.Itoa(n),
		Customer: &customer.Input{Email: "accounts@northwind.example", Name: "Northwind Traders"},
		Currency: "EUR", IssueDate: "2026-06-15", DueDate: "2026-07-15",
		Lines: []invoice.LineInput{
			{Description: "Design " + key[:4], Quantity: "2", UnitPrice: "50.00", TaxRate: "23"},
			{Description: "Build", Quantity: "1.5", UnitPrice: "80.00", TaxRate: "23"},
			{Description: "Support", Quantity: "3", UnitPrice: "20.00", TaxRate: "8"},
		},
	}.Draft()
}

// counting is a PostgreSQL whose processes run in valgrind, and write their counts to dir when they end.
type counting struct {
	process          *server.Process
	dir, socket, url string
}

// startCounting starts a PostgreSQL with filled tables in valgrind.
func (b *bench) startCounting(ctx context.Context, valgrind string) (*counting, error) {
	account, err := server.ChooseAccount("")
	if err != nil {
		return nil, err
	}
	programs, err := server.Locate(ctx, account, 0)
	if err != nil {
		return nil, err
	}
	dir, err := account.MkdirTemp(b.dir, "count-")
	if err != nil {
		return nil, err
	}
	data := filepath.Join(dir, "data")
	if err := account.Mkdir(data); err != nil {
		return nil, err
	}
	if err := server.Init(ctx, programs, account, data, false, nil); err != nil {
		return nil, err
	}
	c := &counting{dir: dir}
	start := func(programs server.Programs) error {
		if c.socket, err = account.MkdirTemp("", "count-"); err != nil {
			return err
		}
		c.url = server.URL(c.socket, server.Role, server.Database)
		c.process, err = server.Start(ctx, server.Config{
			Programs: programs, Account: account, DataDir: data, SocketDir: c.socket, Log: filepath.Join(b.dir, "count.log"),
			Settings: map[string]string{"fsync": "off", "autovacuum": "off", "max_connections": "40"},
		})
		return err
	}
	if err := start(programs); err != nil {
		return nil, err
	}
	service, err := b.startServer(ctx, "DATABASE_URL="+c.url)
	if err == nil {
		service.stop()
		err = fill(ctx, database{c.socket, server.Role, server.Database}, few)
	}
	if err := errors.Join(err, c.process.Stop(ctx)); err != nil {
		return nil, err
	}
	wrapped := programs
	wrapped.Dir = filepath.Join(b.dir, "wrapped")
	script := "#!/bin/sh\nexec " + valgrind + " --tool=callgrind --trace-children=yes --callgrind-out-file='" + dir + "/%p' '" +
		filepath.Join(programs.Dir, "postgres") + `' "$@"` + "\n"
	err = os.Mkdir(wrapped.Dir, 0o755) //nolint:gosec // for PostgreSQL's user
	if err == nil {
		err = os.WriteFile(filepath.Join(wrapped.Dir, "postgres"), []byte(script), 0o755) //nolint:gosec // as above
	}
	if err != nil {
		return nil, err
	}
	return c, start(wrapped)
}

// each returns how many million instructions a backend executes for each call of do: the difference between two backends, of which one has
// done it more often. Statements that are new to a connection are planned in both.
func (c *counting) each(ctx context.Context, do func(context.Context, *pgxpool.Pool, int) error) (float64, error) {
	const few, many = 50, 150
	var totals [2]int
	for i, times := range []int{few, many} {
		total, err := c.total(ctx, func(pool *pgxpool.Pool) error {
			for n := range times {
				if err := do(ctx, pool, n); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return 0, err
		}
		totals[i] = total
	}
	return float64(totals[1]-totals[0]) / (many - few) / 1e6, nil
}

var totalPattern = regexp.MustCompile(`(?m)^(?:summary|totals): (\d+)`)

// total returns the number of instructions of a backend that does some work.
func (c *counting) total(ctx context.Context, work func(*pgxpool.Pool) error) (int, error) {
	pool, err := postgres.Open(ctx, c.url+"&pool_max_conns=1&pool_min_conns=1")
	if err != nil {
		return 0, err
	}
	var pid int
	err = pool.QueryRow(ctx, `SELECT pg_backend_pid()`).Scan(&pid)
	if err == nil {
		err = work(pool)
	}
	if err := errors.Join(err, postgres.Close(ctx, pool)); err != nil {
		return 0, err
	}
	// The backend writes the file after it has closed the connection.
	for {
		counts, err := os.ReadFile(filepath.Join(c.dir, strconv.Itoa(pid)))
		if match := totalPattern.FindSubmatch(counts); match != nil {
			return strconv.Atoi(string(match[1]))
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return 0, err
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}
