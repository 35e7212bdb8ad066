package torture

import (
	"context"
	"fmt"
	"io"
	"time"

	"onlyonce/internal/proof/layer"
)

// Layer is a layer of protection that can be removed. Without it, a run must find violations.
type Layer struct {
	Name    string
	Removed string // the part that is removed

	sql      []string      // run in the database before the clients start
	fresh    bool          // clients use a new key for every attempt
	replaced []replacement // in the server's source; the server then keeps copies of intents
	fault    string        // the only fault to inject; "" for all
}

// replacement replaces text in a source file of the server.
type replacement struct{ file, old, new string }

// Layers returns the layers that the self-test removes, one at a time.
func Layers() []Layer {
	return []Layer{
		{
			Name:    "the intent",
			Removed: "the claim does nothing, and the primary key of intents is gone",
			sql:     layer.SQL("claim", "unique intent", "unique event"),
		},
		{
			Name:    "the key, for life",
			Removed: "an intent is deleted when the retention of its result ends",
			sql:     layer.SQL("key for life", "unique event"),
		},
		{
			Name:    "the unique number",
			Removed: "the constraint invoices_number_once_per_year",
			sql:     layer.SQL("unique number"),
		},
		{
			Name:    "one intent, one key",
			Removed: "clients send a fresh key with every attempt",
			fresh:   true,
		},
		{
			Name:    "intent and work in one transaction",
			Removed: "now and then the work is committed without its intent, as by a crash between two transactions",
			sql:     layer.With("same transaction", "condition", `random() >= 0.95`),
		},
		{
			Name:    "issue and mail in one transaction",
			Removed: "now and then an invoice is issued without its mail, as by a crash between two transactions",
			sql:     layer.SQL("mail"),
		},
		{
			Name:    "the claim of a change",
			Removed: "the claim does nothing for changes of customers, and the primary key of intents is gone",
			sql:     layer.With("claim of {operations}", "operations", `'customer.edit', 'customer.archive', 'customer.restore'`),
		},
		{
			Name:    "the lock of the record",
			Removed: "the row that is changed is looked at without being locked, and then it takes a moment to change it",
			sql:     append(layer.With("lock of {table}", "table", `customers`), layer.SQL("quick changes")...),
		},
		{
			Name:    "the version that was seen",
			Removed: "a change takes any version",
			sql:     layer.SQL("version"),
		},
		{
			Name:    "the look at the state",
			Removed: "a transition is made again when it is made already",
			sql:     layer.SQL("state"),
		},
		{
			Name:    "a version for each state",
			Removed: "the trigger next_version of customers",
			sql:     layer.SQL("next version"),
		},
		{
			Name:    "the end of sessions",
			Removed: "the trigger end_sessions of users",
			sql:     layer.SQL("end of sessions"),
		},
		{
			Name:    "the look at what is open",
			Removed: "a payment is posted whatever is open, and an amount may be negative",
			sql:     layer.SQL("open amount"),
		},
		{
			Name:    "the ledger",
			Removed: "payments are not posted, and nothing compares the sums at COMMIT",
			sql:     layer.SQL("ledger"),
		},
		{
			Name:    "the look at what is left",
			Removed: "a refund is posted whatever is left of its payment, and an amount may be negative",
			sql:     layer.SQL("left of a payment"),
		},
		{
			Name:    "the unique event",
			Removed: "the claim does nothing for events of webhooks, and the index webhook_events_once is gone",
			sql:     append(layer.With("claim of {operations}", "operations", `'webhook.receive'`), layer.SQL("unique event")...),
		},
		{
			Name:    "the unique period",
			Removed: "schedules are billed without being locked, and the constraint schedule_periods_once is gone",
			sql:     append(layer.With("lock of {table}", "table", `schedules`), layer.SQL("unique period")...),
		},
		{
			Name:    "the reference to a live customer",
			Removed: "nothing checks the foreign keys of invoices and schedules to customers that were not merged",
			sql:     layer.SQL("live customer"),
		},
		{
			Name:    "the refusal of erased customers",
			Removed: "the function live_customer returns erased customers too",
			sql:     layer.SQL("erased customer"),
		},
		{
			Name:    "the unique external id",
			Removed: "the function begin_external does nothing, and the indexes of external ids are gone",
			sql:     layer.SQL("external id"),
		},
		{
			Name:    "the id of a row",
			Removed: "a row of a file without an id gets another one whenever the file is read",
			replaced: []replacement{{"internal/customer/customerimport/kind.go", `"row-%s-%d", `, `"row-%s-%d-%p", `}, {
				"internal/customer/customerimport/kind.go", `(sum[:16]), place)`, `(sum[:16]), place, r.seen)`,
			}},
		},
		{
			Name:    "the open sign-up",
			Removed: "the index sign_ups_open_once",
			sql:     layer.SQL("open sign-up"),
		},
		{
			Name:    "the look for what is alike",
			Removed: "the function tell_repeat tells and asks nothing",
			sql:     layer.SQL("likely repeats"),
		},
		{
			Name:    "the seal of shared copies",
			Removed: "copies of intents are in Redis as they are, and any is believed that is found under a name",
			replaced: []replacement{
				{"internal/idempotency/shared/shared.go", `m.seal(name).Open(nil, nil, sealed, nil)`, `sealed, error(nil)`},
				{"internal/idempotency/shared/shared.go", `m.seal(name).Seal(nil, nil, value, nil)`, `value`},
			},
			fault: poisoned,
		},
	}
}

// SelfTest removes one layer at a time and writes the broken rules. It returns an error if a run found no violation, since then the
// checks are blind. An undecided check is no violation.
func SelfTest(ctx context.Context, seed uint64, out io.Writer) error {
	for _, layer := range Layers() {
		report, err := Run(ctx, brief(seed, layer))
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "\nwithout %s\n  removed  %s\n  run      %d intents, %d faults\n  broken   %s\n",
			layer.Name, layer.Removed, report.Intents, report.FaultCount(), report.Broken())
		if err != nil {
			return fmt.Errorf("print the self-test: %w", err)
		}
		if len(report.Violations) == 0 {
			return fmt.Errorf("seed %d: nothing broke without %s", seed, layer.Name)
		}
	}
	return nil
}

// brief returns the configuration of a run of a few seconds.
func brief(seed uint64, without Layer) Config {
	every := 300 * time.Millisecond
	if without.fault != "" {
		every = 30 * time.Millisecond // the fault must happen between an answer and its repeat
	}
	return Config{Seed: seed, Duration: 5 * time.Second, Intents: 300, Clients: 16, FaultEvery: every, Without: without}
}
