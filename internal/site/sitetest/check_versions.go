package sitetest

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"time"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/must"
	"onlyonce/internal/record"

	"github.com/google/uuid"
)

// ifMatch: a precondition other than a single ETag changes nothing, and uses up no key.
func ifMatch(x *Case) {
	before := x.Contents()
	now, next := strconv.Itoa(x.Seen), strconv.Itoa(x.Seen+1)
	for tag, slug := range map[string]string{
		`*`: "malformed", `"v` + next + `", "v` + now + `"`: "malformed", `"v` + now + `", "v` + next + `"`: "malformed",
		`W/"v` + next + `"`: "changed-meanwhile", `w/"v` + now + `"`: "changed-meanwhile", `"v` + now + `-"`: "changed-meanwhile",
		`"v` + now + `-xz"`: "changed-meanwhile", `"v` + now + `gzip"`: "changed-meanwhile", `W/v` + now: "changed-meanwhile",
		`v` + now: "changed-meanwhile", `"` + now + `"`: "changed-meanwhile",
		`"v0` + now + `"`: "changed-meanwhile", `"v+` + now + `"`: "changed-meanwhile", `"v0"`: "changed-meanwhile",
		`"v-1"`: "changed-meanwhile", `""`: "changed-meanwhile", ``: "changed-meanwhile", `"v4294967297"`: "changed-meanwhile",
		`"v99999999999999999999"`: "changed-meanwhile", `"V` + now + `"`: "changed-meanwhile", `"v` + next + `"`: "changed-meanwhile",
	} {
		x.Format.Refused(x, x.withIfMatch(tag), slug, nil)
	}
	seen := x.Seen
	x.Format.Refused(x, x.withIfMatch(ETag(seen), ETag(seen)), "malformed", nil)
	x.wantContents(before)
	x.Format.Done(x, x.withIfMatch(" "+ETag(seen)+" "))
}

// withIfMatch sends the command with the given If-Match.
func (x *Case) withIfMatch(tags ...string) Answer {
	x.Helper()
	to := *x
	to.Seen = 0
	c := x.Caller.With("If-Match", tags...)
	return c.Must(x.Format.Send(x.Context(), c, to, Key, x.Command))
}

// versionInAForm: an impossible version in a form changes nothing, and uses up no key.
func versionInAForm(x *Case) {
	before, seen := x.Contents(), x.Seen
	x.Seen = 0
	for _, version := range []string{"2147483648", "4294967297", "99999999999999999999", "-1", "abc", "1.0"} {
		a := x.Ask(Change(x.Command, "version", version))
		assert.Thatf(x, a.Status == http.StatusBadRequest, "version %s: %v", version, a)
	}
	x.wantContents(before)
	x.Seen = seen
	x.Done()
}

// transitionOfOneVersion: a request with a version is refused for another version, unless the record is already in the
// state.
func transitionOfOneVersion(x *Case) {
	stale := x.withIfMatch(ETag(x.Seen + 5))
	x.Format.Refused(x, stale, "changed-meanwhile", nil)
	x.Format.Refused(x, x.withIfMatch(`W/`+ETag(x.Seen+5)), "changed-meanwhile", nil)
	x.Format.Refused(x, x.withIfMatch(`*`), "malformed", nil)
	x.WantRows(Rows{})
	first := x.withIfMatch(ETag(x.Seen))
	x.Format.Done(x, first)
	for _, tag := range []string{ETag(x.Seen), ETag(x.Seen + 1), ETag(x.Seen + 5)} {
		c := x.Caller.With("If-Match", tag)
		x.unchanged(c.Must(x.Format.Send(x.Context(), c, *x, "with "+tag[2:3], x.Command)), first)
	}
}

// historyHasWhatChanged: an event has exactly the fields of the record that differ, with both values.
func historyHasWhatChanged(x *Case) {
	result := func(key string) map[string]json.RawMessage {
		return Decode[map[string]json.RawMessage](x.Bundle, Answer{Body: Get[string](x.Bundle,
			`SELECT result::text FROM intents WHERE record_id = $1 AND key = $2 ORDER BY at DESC LIMIT 1`, x.ID, key)})
	}
	was := result("prepared")
	x.Done()
	is := result(Key)
	list, err := idempotency.History(x.Context(), x.DB.Pool, x.Acme.ID, uuid.MustParse(x.ID), record.Page{Limit: 10}, "")
	at := slices.IndexFunc(list.Rows, func(e idempotency.Entry) bool { return e.What == "changed" })
	must.Thatf(x, err == nil && at >= 0, "%+v, %v", list.Rows, err)
	last := list.Rows[at]
	for name := range last.Changes { // zero values are null in the database's JSON, and may be omitted in Go's
		is[name] = orNull(is[name])
	}
	want := map[string][2]json.RawMessage{}
	for name := range is { // the record's fields only; the result of creating it may have more
		before, after := orNull(was[name]), is[name]
		if name != "version" && sorted(before) != sorted(after) {
			want[name] = [2]json.RawMessage{before, after}
		}
	}
	assert.Thatf(x, len(want) != 0 && last.Key == Key && last.Operation == x.Operation &&
		reflect.DeepEqual(compact(last.Changes), compact(want)), "%+v\nwant %s", last, want)
}

func orNull(value json.RawMessage) json.RawMessage {
	if value == nil {
		return json.RawMessage("null")
	}
	return value
}

// sorted returns a JSON value with sorted members, which jsonb doesn't guarantee, and with times in Go's format.
func sorted(value json.RawMessage) string {
	var v any
	if err := json.Unmarshal(value, &v); err != nil {
		return err.Error()
	}
	if text, ok := v.(string); ok {
		if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
			v = at.UTC()
		}
	}
	return Encode(v)
}

func compact(changes map[string][2]json.RawMessage) map[string]string {
	short := map[string]string{}
	for name, pair := range changes {
		short[name] = sorted(pair[0]) + " -> " + sorted(pair[1])
	}
	return short
}
