package site_test

import (
	"encoding/json"
	"net/http"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/record"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
)

// ifMatch: a precondition other than a single ETag changes nothing, and uses up no key.
func ifMatch(x *caseRun) {
	before := x.contents()
	now, next := strconv.Itoa(x.seen), strconv.Itoa(x.seen+1)
	for tag, slug := range map[string]string{
		`*`: "malformed", `"v` + next + `", "v` + now + `"`: "malformed", `"v` + now + `", "v` + next + `"`: "malformed",
		`W/"v` + next + `"`: "changed-meanwhile", `w/"v` + now + `"`: "changed-meanwhile", `"v` + now + `-"`: "changed-meanwhile",
		`"v` + now + `-xz"`: "changed-meanwhile", `"v` + now + `gzip"`: "changed-meanwhile", `W/v` + now: "changed-meanwhile",
		`v` + now: "changed-meanwhile", `"` + now + `"`: "changed-meanwhile",
		`"v0` + now + `"`: "changed-meanwhile", `"v+` + now + `"`: "changed-meanwhile", `"v0"`: "changed-meanwhile",
		`"v-1"`: "changed-meanwhile", `""`: "changed-meanwhile", ``: "changed-meanwhile", `"v4294967297"`: "changed-meanwhile",
		`"v99999999999999999999"`: "changed-meanwhile", `"V` + now + `"`: "changed-meanwhile", `"v` + next + `"`: "changed-meanwhile",
	} {
		x.format.refused(x, x.withIfMatch(tag), slug, nil)
	}
	seen := x.seen
	x.format.refused(x, x.withIfMatch(etag(seen), etag(seen)), "malformed", nil)
	if x.contents() != before {
		x.Error("something was done")
	}
	x.format.done(x, x.withIfMatch(" "+etag(seen)+" "))
}

// withIfMatch sends the command with the given If-Match.
func (x *caseRun) withIfMatch(tags ...string) answer {
	x.Helper()
	to := *x
	to.seen = 0
	c := x.caller.with("If-Match", tags...)
	return c.must(x.format.send(x.Context(), c, to, key, x.command))
}

// versionInAForm: an impossible version in a form changes nothing, and uses up no key.
func versionInAForm(x *caseRun) {
	before, seen := x.contents(), x.seen
	x.seen = 0
	for _, version := range []string{"2147483648", "4294967297", "99999999999999999999", "-1", "abc", "1.0"} {
		if a := x.ask(change(x.command, "version", version)); a.status != http.StatusBadRequest {
			x.Errorf("version %s: %v", version, a)
		}
	}
	if x.contents() != before {
		x.Error("something was done")
	}
	x.seen = seen
	x.format.done(x, x.ask(x.command))
}

// transitionOfOneVersion: a request with a version is refused for another version, unless the record is already in the
// state.
func transitionOfOneVersion(x *caseRun) {
	stale := x.withIfMatch(etag(x.seen + 5))
	x.format.refused(x, stale, "changed-meanwhile", nil)
	x.format.refused(x, x.withIfMatch(`W/`+etag(x.seen+5)), "changed-meanwhile", nil)
	x.format.refused(x, x.withIfMatch(`*`), "malformed", nil)
	x.wantRows(rows{})
	first := x.withIfMatch(etag(x.seen))
	x.format.done(x, first)
	for _, tag := range []string{etag(x.seen), etag(x.seen + 1), etag(x.seen + 5)} {
		c := x.caller.with("If-Match", tag)
		x.unchanged(c.must(x.format.send(x.Context(), c, *x, "with "+tag[2:3], x.command)), first)
	}
}

// historyHasWhatChanged: an event has exactly the fields of the record that differ, with both values.
func historyHasWhatChanged(x *caseRun) {
	result := func(key string) map[string]json.RawMessage {
		return decode[map[string]json.RawMessage](x.bundle, answer{body: get[string](x.bundle,
			`SELECT result::text FROM intents WHERE record_id = $1 AND key = $2 ORDER BY at DESC LIMIT 1`, x.id, key)})
	}
	was := result("prepared")
	x.format.done(x, x.ask(x.command))
	is := result(key)
	list, err := idempotency.History(x.Context(), x.db.Pool, x.acme.id, uuid.MustParse(x.id), record.Page{Limit: 10}, "")
	at := slices.IndexFunc(list.Rows, func(e idempotency.Entry) bool { return e.What == "changed" })
	if err != nil || at < 0 {
		x.Fatalf("%+v, %v", list.Rows, err)
	}
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
	if len(want) == 0 || last.Key != key || last.Operation != x.operation ||
		!reflect.DeepEqual(compact(last.Changes), compact(want)) {
		x.Errorf("%+v\nwant %s", last, want)
	}
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
	return encode(v)
}

func compact(changes map[string][2]json.RawMessage) map[string]string {
	short := map[string]string{}
	for name, pair := range changes {
		short[name] = sorted(pair[0]) + " -> " + sorted(pair[1])
	}
	return short
}
