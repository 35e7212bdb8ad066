package sitetest

import (
	"errors"
	"net/http"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/must"

	"github.com/jackc/pgx/v5/pgconn"
)

// The answers to late retries, after the result of the intent has expired. The intent and its fingerprint are kept for life.

func lateRetry(x *Case) {
	first := x.Done()
	x.Expire(x.Acme)
	moved := x.moveOn()
	before := x.Contents()
	late := x.Ask(x.Command)
	switch {
	case x.IsHTML() && x.Kind == idempotency.Create: // only the user knows whether it is a new intent
		x.Format.Refused(x, late, "key-reused", x.Command)
		x.Page(late).LeadsTo(first.Location())
	case x.IsHTML():
		x.Format.Replayed(x, late, first)
	default:
		now := x.Caller.Get(JSON{}.address(x, first))
		if late.Status != http.StatusOK || late.Header.Get("Idempotent-Replayed") != "true" || late.Location() != first.Location() ||
			late.Body != now.Body || late.Header.Get("ETag") != now.Header.Get("ETag") || (late.Body == first.Body) == moved {
			x.Errorf("want the current state: %v", late)
		}
		JSON{}.check(x, late)
	}
	x.wantContents(before)
}

// moveOn makes another version of the record, unless the database keeps it unchanged.
func (x *Case) moveOn() bool {
	x.Helper()
	_, err := x.Admin.Exec(x.Context(), `UPDATE `+x.table+` SET tenant_id = tenant_id`)
	kept, ok := errors.AsType[*pgconn.PgError](err)
	must.Thatf(x, err == nil || ok && kept.Code == "23514", "%v", err)
	return err == nil
}

func lateOtherCommand(x *Case) {
	first := x.Done()
	x.Expire(x.Acme)
	late := x.Ask(x.Other)
	x.Format.Refused(x, late, "key-reused", x.Other)
	x.WantRows(x.Leaves)
	if x.IsHTML() {
		x.Page(late).LeadsTo(first.Location())
	}
}
