package sitetest

import (
	"context"
	_ "embed" // for plans.sql
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/must"
	"onlyonce/internal/people/account"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/record"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Plan is what [Plans] checks of a room: the plans of the statements of its requests and of its background work.
type Plan struct {
	Room      string     // the directory of its routes, such as "internal/customer/"
	Resources []Resource // of the room
	// Requests returns the requests of its routes, except transitions and the routes of plain resources.
	Requests func(b *Bundle, program, person *Client) map[string][]Request
	// Background does its background work.
	Background func(p *Planner)
	Settings   []func(*Config) // of the server
}

// Plans makes every request of a room against a tenant with many rows in every table, as the app's role under
// row-level security, and checks the plan of each statement, including those in functions and triggers. The rows read by a
// request must not grow with the tenant: no table is read whole, and no index condition consists of the tenant alone. all are
// the resources of all rooms, and grow inserts the rows of those that aren't plain.
//
// Under row-level security an index condition can use leakproof operators only: a comparison with lower(email) or result->>'id'
// is then a filter over all rows of the tenant.
//
// PostgreSQL plans a prepared statement for its values at first, and once for all values after some uses.
func Plans(t *testing.T, of Plan, all []Resource, grow func(*Bundle)) {
	t.Helper()
	pgtest.Long(t)
	for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
		t.Run(mode, func(t *testing.T) {
			b := SetupGrown(t, all, grow, of.Settings...)
			plans := b.explained(mode)
			b.Replica = b.ServeOn(plans.Pool, Keeping)
			program, person := b.Program(b.Replica, b.Acme), b.Person(b.Replica, b.Acme)
			routes := map[string][]Request{}
			if of.Requests != nil {
				routes = of.Requests(b, program, person)
			}
			for _, plain := range of.Resources {
				if _, own := routes["POST "+plain.Path]; !own && plain.IsPlain() {
					maps.Copy(routes, b.everyPlain(plain, program, person))
				}
			}
			for route, requests := range b.everyTransition(of.Resources, program, person) {
				routes[route] = append(requests, routes[route]...) // before the requests that are refused
			}
			plans.requests(of.Room, routes)
			if of.Background != nil {
				of.Background(plans)
			}
			assert.Thatf(b, len(plans.seen) >= 5, "only %d statements were explained", len(plans.seen))
		})
	}
}

// Many is the number of rows in every table, and of archived customers in addition to as many others. few is the most rows that
// one node of a plan may read: a page of a list, or the customers offered by a form.
const (
	Many = 4000
	Few  = 250
)

// bounded is the most rows that a node may read in a statement with its own bound. It is less than the number of rows.
const bounded = 2100

// grown is the database filled by grow, once for all tests.
var grown struct {
	sync.Once
	pgtest.Template

	acme, globex Tenant
}

// SetupGrown is setup with a copy of grown.
func SetupGrown(t *testing.T, all []Resource, grow func(*Bundle), settings ...func(*Config)) *Bundle {
	t.Helper()
	LeaveToWalks(t)
	t.Parallel()
	grown.Do(func() {
		grown.Fill = func(_ context.Context, db *pgtest.Database) error {
			b := bundleOn(t, db)
			grown.acme, grown.globex = b.Tenant("Acme"), b.Tenant("Globex")
			b.Acme, b.Globex = grown.acme, grown.globex
			b.grow(all, grow)
			return nil
		}
	})
	b := bundleOn(t, grown.New(t), settings...)
	b.Acme, b.Globex = grown.acme, grown.globex
	return b
}

//go:embed plans.sql
var history string

// grow inserts a history for acme, and as many rows into every table without a tenant. The archived customers are all newer
// than the others: an index over both kinds reads all of one kind before the other one.
func (b *Bundle) grow(all []Resource, more func(*Bundle)) {
	b.Helper()
	b.Exec(fmt.Sprintf(history, b.Acme.ID, Many, b.pastOperations(), account.Strangers))
	more(b)
	for _, of := range all {
		if of.IsPlain() && Get[int](b, `SELECT count(*) FROM `+b.Creating(of).table) < Many {
			b.multiply(of)
		}
	}
	var empty []string
	for _, table := range b.Tables() {
		if n := Get[int](b, `SELECT count(*) FROM `+pgx.Identifier{table}.Sanitize()); n < Many && table != "goose_db_version" {
			empty = append(empty, table)
		}
	}
	must.Thatf(b, len(empty) == 0, "these tables do not grow here, so a full scan goes unnoticed: %v", empty)
	b.Exec(`ANALYZE`)
}

// pastOperations are rows (place, operation, outcome, changes), one for each operation. A transition has other records than the
// other operations, in another place: most records have been changed once or twice.
func (b *Bundle) pastOperations() string {
	b.Helper()
	var all []string
	for i, op := range b.Operations() {
		place, done := 0, `'created', NULL`
		if op.Kind.Changes() {
			done = `'changed', '{"name": ["Ada", "Ada King"]}'`
		}
		if op.Kind == idempotency.Transition {
			place = i + 1
		}
		all = append(all, fmt.Sprintf(`(%d, '%s', %s)`, place, op.Name, done))
	}
	return strings.Join(all, ", ")
}

// Nobody is an id without a record.
var Nobody = RowID(0)

// RowID returns the id of the n-th row that grow inserts.
func RowID(n int) string { return fmt.Sprintf("01900000-0000-7000-8000-%012x", n) }

// Planner collects the plans of statements.
type Planner struct {
	*Bundle

	Pool *pgxpool.Pool

	mu    sync.Mutex
	doing string
	seen  map[string]bool
	told  map[string]bool // complaints, each with its statement
}

// explained returns a pool whose connections log the plan of every statement, in a plan_cache_mode.
func (b *Bundle) explained(mode string) *Planner {
	b.Helper()
	var name string
	must.OK(b, b.Admin.QueryRow(b.Context(), `SELECT current_database()`).Scan(&name))
	if _, err := b.Admin.Exec(b.Context(), `LOAD 'auto_explain'`); err != nil {
		b.Fatalf("%v: install PostgreSQL's own extensions (on Debian they come with the server's package)", err)
	}
	b.DB.Spoil(b.T)
	for setting, value := range map[string]string{
		"session_preload_libraries": "auto_explain", "auto_explain.log_min_duration": "0", "auto_explain.log_analyze": "on",
		"auto_explain.log_timing": "off", "auto_explain.log_nested_statements": "on", "auto_explain.log_format": "json",
		"auto_explain.log_level": "notice", "plan_cache_mode": mode,
	} {
		b.Exec(fmt.Sprintf(`ALTER ROLE onlyonce IN DATABASE %s SET %s = '%s'`, name, setting, value))
	}
	p := &Planner{Bundle: b, seen: map[string]bool{}, told: map[string]bool{}}
	config := b.DB.Pool.Config()
	config.ConnConfig.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { p.note(n.Message) }
	var err error
	if p.Pool, err = pgxpool.NewWithConfig(b.Context(), config); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(p.Pool.Close)
	return p
}

// requests makes the requests of every route of a room, which may be requests of other rooms' routes too.
func (p *Planner) requests(room string, of map[string][]Request) {
	p.Helper()
	var routes []string
	for _, route := range p.Routes {
		name := route.Method + " " + route.Path
		if routes = append(routes, name); len(of[name]) == 0 && strings.HasPrefix(route.Source, room) {
			p.Errorf("no request for %s: add requests for all of its answers to the plan of %s", name, room)
		}
	}
	for _, route := range slices.Sorted(maps.Keys(of)) {
		assert.Thatf(p, slices.Contains(routes, route), "there is no route %s", route)
		for _, request := range of[route] {
			p.During(route+" ("+request.What+")", func() {
				a := request.Send()
				assert.Thatf(p, a.Status < http.StatusInternalServerError && (request.Want == 0 || a.Status == request.Want),
					"%s (%s): want %d, got %v", route, request.What, request.Want, a)
			})
		}
	}
}

// During does work, and reports the statements that it runs under its name.
func (p *Planner) During(what string, do func()) {
	p.mu.Lock()
	p.doing = what
	p.mu.Unlock()
	do()
}

// planNode is a node of a plan in the format of EXPLAIN (FORMAT json).
//
//nolint:tagliatelle // PostgreSQL's names
type planNode struct {
	Type      string     `json:"Node Type"`
	Relation  string     `json:"Relation Name"`
	Index     string     `json:"Index Name"`
	Condition string     `json:"Index Cond"`
	Filter    string     `json:"Filter"`
	Rows      float64    `json:"Actual Rows"`
	Removed   float64    `json:"Rows Removed by Filter"`
	Rechecked float64    `json:"Rows Removed by Index Recheck"`
	Loops     float64    `json:"Actual Loops"`
	Plans     []planNode `json:"Plans"`
}

func (p *Planner) note(message string) {
	_, text, ok := strings.Cut(message, "plan:\n")
	if !ok {
		return
	}
	var explained struct {
		Query string   `json:"Query Text"` //nolint:tagliatelle // PostgreSQL's name
		Plan  planNode `json:"Plan"`       //nolint:tagliatelle // PostgreSQL's name
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := json.Unmarshal([]byte(text), &explained); err != nil {
		p.Errorf("%v in the plan %s", err, text)
		return
	}
	p.seen[explained.Query] = true
	for node := range explained.Plan.all() {
		complaint := node.complaint(bound(explained.Query))
		if told := complaint + explained.Query; complaint != "" && !p.told[told] {
			p.told[told] = true
			p.T.Errorf("%s %s\n%+v\nin the statement\n%s", p.doing, complaint, node, explained.Query)
		}
	}
}

func (n planNode) all() map[*planNode]bool {
	found := map[*planNode]bool{&n: true}
	for _, child := range n.Plans {
		maps.Copy(found, child.all())
	}
	return found
}

// bound returns the most rows that a node of a statement may read. Some statements have their own bound: a list that filters
// some of the rows from its index, or the later changes of the records of a page of events.
func bound(query string) float64 {
	own := []string{"candidates AS", "WITH RECURSIVE found", ") AS later"}
	if slices.ContainsFunc(own, func(part string) bool { return strings.Contains(query, part) }) {
		return bounded
	}
	return Few
}

// complaint returns the part of a node that grows with the tenant, or "".
func (n planNode) complaint(most float64) string {
	// goose's table has a row for each migration, and the catalog has none for rows.
	if n.Relation == "goose_db_version" || strings.HasPrefix(n.Relation, "pg_") {
		return ""
	}
	switch read := (n.Rows + n.Removed + n.Rechecked) * max(n.Loops, 1); {
	case n.Type == "Seq Scan":
		return "reads " + n.Relation + " whole: it needs an index that begins with tenant_id and has the condition, or the order"
	case strings.HasPrefix(n.Type, "Index") || strings.HasPrefix(n.Type, "Bitmap Index"):
		if n.Index != "tenants_pkey" && tenantOnly.MatchString(n.Condition) {
			return "asks the index " + n.Index + " for the tenant alone: add a condition or a LIMIT"
		}
		if (n.Index == "intents_results" || n.Index == "attempts_pkey") && read <= record.ExpireBatch {
			return ""
		}
		if read > most {
			return fmt.Sprintf("reads %.0f rows of %s: add a LIMIT, or an index that has the condition", read, n.Relation)
		}
	}
	return ""
}

// tenantOnly matches conditions on tenant_id alone.
var tenantOnly = regexp.MustCompile(`^$|^\(tenant_id = [^()]*(\([^()]*\))?[^()]*\)$`)
