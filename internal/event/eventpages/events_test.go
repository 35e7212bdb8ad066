package eventpages_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer/customercases"
	"onlyonce/internal/event/eventcases"
	"onlyonce/internal/must"
	"onlyonce/internal/people/peoplecases"
	"onlyonce/internal/record"
	"onlyonce/internal/site/sitetest"
)

// placeAt returns the value of after for an event.
func placeAt(n, id string) string {
	return record.Cursor{Of: record.ListName("/events", nil), From: record.Key{n, id}}.String()
}

// TestEvents checks that the API has the events since the feed was started, except for operations without an API and those on endpoints,
// and that an empty page has the place at which the next page begins.
func TestEvents(t *testing.T) {
	b := sitetest.Setup(t)
	program, customers := b.Program(b.Replica, b.Acme), customercases.Customers()
	b.Prepared(b.Acme, "early", customers, customers.Other)
	got, after := b.Feed(program, "", 25)
	assert.Thatf(t, len(got) == 0, "before the start: %q, after %s", got, after)

	b.Prepared(b.Acme, "start", eventcases.Feeds(), eventcases.Feeds().Command)
	b.Prepared(b.Acme, "token", peoplecases.APITokens(), peoplecases.APITokens().Command)
	b.Prepared(b.Acme, "endpoint", eventcases.Endpoints(), eventcases.Endpoints().Command)
	made := b.Prepared(b.Acme, "made", customers, customers.Command)
	b.Prepared(b.Acme, "again", customers, customers.Command)
	path := "/api/v1/customers/" + made.ID
	edit := program.With("If-Match", program.Get(path).Header.Get("ETag"))
	edited := customers.API.Encode(sitetest.Change(customers.Command, "name", "Ada King"))
	edit.Must(edit.Send(t.Context(), http.MethodPut, path, edited)).Want(t, http.StatusOK)
	for range 2 {
		program.Post(path+"/archive", "").Want(t, http.StatusOK)
	}
	b.Prepared(b.Globex, "other", customers, customers.Command)
	want := []string{
		"event-feeds event_feed.start created under start",
		"customers customer.upsert created under made",
		`customers customer.edit changed name ["Ada Lovelace","Ada King"]`,
		"customers customer.archive changed archived_at …",
	}
	for _, limit := range []int{1, 2, 100} {
		if got, after = b.Feed(program, "", limit); !slices.Equal(got, want) {
			t.Errorf("in pages of %d:\n%s", limit, strings.Join(got, "\n"))
		}
	}
	wantSent(b, program.Get("/api/v1/events").Want(t, http.StatusOK))
	if got, next := b.Feed(program, after, 25); len(got) > 0 || next != after {
		t.Errorf("after %s: %q, then after %s", after, got, next)
	}

	for _, place := range []string{"x", after + "&after=" + after, placeAt("1", uuid.NewString()), placeAt("1", "x"), placeAt("x", "x")} {
		p := sitetest.Decode[sitetest.Problem](b, program.Get("/api/v1/events?after="+place).Want(t, http.StatusUnprocessableEntity))
		assert.Thatf(t, len(p.Errors) == 1 && p.Errors[0].Pointer == "/after", "%s: %v", place, p)
	}
	program.Get("/api/v1/events?limit=101").Want(t, http.StatusUnprocessableEntity)
	b.Program(b.Replica, b.Globex).Get("/api/v1/events?after="+after).Want(t, http.StatusUnprocessableEntity)

	b.Exec(`SELECT erase_history($1, ARRAY[$2::uuid])`, b.Acme.ID, made.ID)
	erased := program.Get("/api/v1/events").Want(t, http.StatusOK)
	assert.Thatf(t, !strings.Contains(erased.Body, "Ada") && strings.Contains(erased.Body, "customer.edit"), "erased: %v", erased)
	wantSent(b, erased)
}

// wantSent compares the events of a page with the JSON that is sent to endpoints, which is made when it is sent.
func wantSent(b *sitetest.Bundle, page sitetest.Answer) {
	b.Helper()
	var sent []string
	for _, n := range sitetest.Get[[]int64](b, `SELECT array_agg(n ORDER BY n) FROM events WHERE tenant_id = $1`, b.Acme.ID) {
		body, err := b.Replica.EventJSON(b.Context(), b.Acme.ID, n)
		must.OK(b, err)
		if body != nil {
			sent = append(sent, string(body))
		}
	}
	assert.Thatf(b, len(sent) != 0 && strings.Contains(page.Body, "["+strings.Join(sent, ",")+"]"), "sent %s\nof %v", sent, page)
}
