package site_test

import (
	"errors"
	"net/http"

	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/idempotency"
)

// The answers to late retries, after the result of the intent has expired. The intent and its fingerprint are kept for life.

func lateRetry(x *caseRun) {
	first := x.ask(x.command)
	x.format.done(x, first)
	x.expire(x.acme)
	moved := x.moveOn()
	before := x.contents()
	late := x.ask(x.command)
	switch {
	case x.isHTML() && x.kind == idempotency.Create: // only the user knows whether it is a new intent
		x.format.refused(x, late, "key-reused", x.command)
		x.page(late).leadsTo(first.location())
	case x.isHTML():
		x.format.replayed(x, late, first)
	default:
		now := x.caller.get(jsonFormat{}.address(x, first))
		if late.status != http.StatusOK || late.header.Get("Idempotent-Replayed") != "true" || late.location() != first.location() ||
			late.body != now.body || late.header.Get("ETag") != now.header.Get("ETag") || (late.body == first.body) == moved {
			x.Errorf("want the current state: %v", late)
		}
		jsonFormat{}.check(x, late)
	}
	if x.contents() != before {
		x.Error("something was done")
	}
}

// moveOn makes another version of the record, unless the database keeps it unchanged.
func (x *caseRun) moveOn() bool {
	x.Helper()
	_, err := x.admin.Exec(x.Context(), `UPDATE `+x.table+` SET tenant_id = tenant_id`)
	kept, ok := errors.AsType[*pgconn.PgError](err)
	if err != nil && (!ok || kept.Code != "23514") {
		x.Fatal(err)
	}
	return err == nil
}

func lateOtherCommand(x *caseRun) {
	first := x.ask(x.command)
	x.format.done(x, first)
	x.expire(x.acme)
	late := x.ask(x.other)
	x.format.refused(x, late, "key-reused", x.other)
	x.wantRows(x.leaves)
	if x.isHTML() {
		x.page(late).leadsTo(first.location())
	}
}
