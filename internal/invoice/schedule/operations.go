package schedule

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/conflict"
	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
)

// Create creates a schedule.
var Create = idempotency.Define(idempotency.Spec[Draft, Schedule]{
	Kind: idempotency.Create, Name: "schedule.create", Table: Table,
	Statements: func(tx *idempotency.Tx, d Draft) idempotency.Result {
		tx.Exec(`INSERT INTO schedules (tenant_id, id, `+columns+`) VALUES (@tenant_id, @record_id, `+values+`)`, arguments(d))
		return tx.Record()
	},
	Explain: map[string]idempotency.Explanation[Draft]{
		"customers_erased":       customerErased,
		"schedules_customer":     customerGone,
		"schedules_begin_lately": beganLongAgo,
	},
	Alike: idempotency.Alike[Schedule]{
		Fields: []string{"customer.id currency lines every unit"}, Within: 10 * time.Minute, Name: Name,
	},
	Fields: fields,
})

// Edit replaces the content of a schedule from its next period on. Its days can't change after a period was billed.
var Edit = idempotency.Define(idempotency.Spec[Draft, Schedule]{
	Kind: idempotency.Change, Name: "schedule.edit", Table: Table,
	Statements: func(tx *idempotency.Tx, d Draft) idempotency.Result {
		tx.Exec(`
			UPDATE schedules SET (`+columns+`) = (`+values+`)
			WHERE tenant_id = @tenant_id AND id = @record_id AND (`+columns+`) IS DISTINCT FROM (`+values+`)`, arguments(d))
		return tx.Record()
	},
	Explain: map[string]idempotency.Explanation[Draft]{
		"customers_erased":       customerErased,
		"schedules_customer":     customerGone,
		"schedules_begin_lately": beganLongAgo,
		"schedules_rhythm_kept":  rhythmKept,
	},
	Fields: fields,
})

// Pause stops a schedule until it is resumed.
var Pause = idempotency.Define(idempotency.Spec[struct{}, Schedule]{
	Kind: idempotency.Transition, Name: "schedule.pause", Table: Table, Made: `r.paused_at IS NOT NULL`,
	Statements: set(`paused_at = now()`),
})

// Resume continues a paused schedule with its next period.
var Resume = idempotency.Define(idempotency.Spec[struct{}, Schedule]{
	Kind: idempotency.Transition, Name: "schedule.resume", Table: Table, Made: `r.paused_at IS NULL`,
	Statements: set(`paused_at = NULL`),
})

// Archive removes a schedule from the list, and stops it.
var Archive = idempotency.Define(idempotency.Spec[struct{}, Schedule]{
	Kind: idempotency.Transition, Name: "schedule.archive", Table: Table, Made: `r.archived_at IS NOT NULL`,
	Statements: set(`archived_at = now()`),
})

// Restore brings an archived schedule back.
var Restore = idempotency.Define(idempotency.Spec[struct{}, Schedule]{
	Kind: idempotency.Transition, Name: "schedule.restore", Table: Table, Made: `r.archived_at IS NULL`,
	Statements: set(`archived_at = NULL`),
	Explain:    map[string]idempotency.Explanation[struct{}]{"customers_erased": idempotency.Always[struct{}](customer.ErrErased)},
})

// set returns the work of a transition.
func set(column string) func(*idempotency.Tx, struct{}) idempotency.Result {
	return func(tx *idempotency.Tx, _ struct{}) idempotency.Result {
		tx.Exec(`UPDATE schedules SET `+column+` WHERE tenant_id = @tenant_id AND id = @record_id`, nil)
		return tx.Record()
	}
}

const (
	columns = `customer_id, currency, lines, notes, exemption_reason, every, unit, first_day, last_day, bill_as, missed`
	values  = `@customer_id, @currency, @lines::jsonb, @notes, @exemption_reason, @every, @unit, @first_day::date,
		@last_day::date, @bill_as, @missed`
)

func arguments(d Draft) pgx.NamedArgs {
	lines, err := json.Marshal(d.Lines)
	if err != nil {
		panic(err) // can't happen: these are strings
	}
	return pgx.NamedArgs{
		"customer_id": d.CustomerID, "currency": d.Currency.String(), "lines": string(lines), "notes": d.Notes, "every": d.Every,
		"exemption_reason": d.Exemption,
		"unit":             d.Unit, "first_day": d.FirstDay, "last_day": d.LastDay, "bill_as": d.BillAs, "missed": d.Missed,
	}
}

func fields(d Draft) []slog.Attr { return []slog.Attr{slog.String("customer", d.CustomerID.String())} }

// RhythmKept is the conflict of changing the days of a schedule that has billed a period.
var RhythmKept = conflict.Kind{
	Slug: "rhythm-kept", Title: "Schedule already billed",
	Meaning: "This schedule has already billed an invoice, so its first day and interval can't be changed. Nothing was changed.",
	ToDo:    "Give it a last day, or archive it, and create another schedule.",
}

func rhythmKept(context.Context, *idempotency.Store, idempotency.Intent, Draft, *pgconn.PgError) error {
	return &conflict.Error{
		Kind: &RhythmKept, Title: "The days of this schedule can no longer be changed.",
		Text:  "It has already billed an invoice. Give it a last day, and create another schedule. Nothing was changed.",
		Field: "/first_day", Blame: "Keep the first day and how often it comes.",
	}
}

var (
	customerErased = idempotency.Always[Draft](customer.ErrErased)
	customerGone   = idempotency.Invalid[Draft]("/customer_id", "This customer doesn't exist. Choose another one.")
	beganLongAgo   = idempotency.Invalid[Draft]("/first_day",
		"Choose a first day of the last year or later: each period since then may be billed.")
)

func wrong(pointer, message string) error {
	var problems invalid.Error
	problems.Add(pointer, message)
	return problems.Err()
}
