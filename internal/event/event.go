// Package event starts event feeds, from which programs read the creations and changes of records. [idempotency.Events] reads the events.
package event

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/record"
)

// Feed names a program that reads the events of a tenant. They are recorded from the first feed on.
type Feed struct {
	record.Header

	Name string `json:"name"`
}

// Table is the table of event feeds.
var Table = record.Table[Feed]{Name: "event_feeds", Fields: `'name', r.name`}

// Input is the unchecked input.
type Input struct {
	Name string `json:"name" doc:"The program that reads the events."`
}

// Draft is the command that starts a feed.
type Draft struct {
	Name string `json:"name"`
}

const maxName = 100 // characters

// Draft checks the input. It returns an [*invalid.Error] for a mistake.
func (in Input) Draft() (Draft, error) {
	var problems invalid.Error
	d := Draft{Name: problems.Line("/name", "the name", in.Name, maxName)}
	if d.Name == "" {
		problems.Add("/name", "Enter the name of the program that reads the events.")
	}
	return d, problems.Err()
}

// Start starts a feed. The first one of a tenant begins with its own event.
var Start = idempotency.Define(idempotency.Spec[Draft, Feed]{
	Kind: idempotency.Create, Name: "event_feed.start", Table: Table,
	Statements: func(tx *idempotency.Tx, d Draft) idempotency.Result {
		tx.Exec(`INSERT INTO event_feeds (tenant_id, id, name) VALUES (@tenant_id, @record_id, @name)`, pgx.NamedArgs{"name": d.Name})
		return tx.Record()
	},
})

// List returns a page of the feeds, newest first.
func List(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, page record.Page) (record.List[Feed], error) {
	return record.ListBy(ctx, pool, Table, tenant, page, `true`, nil)
}
