package eventpages_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer/customercases"
	"onlyonce/internal/event/eventcases"
	"onlyonce/internal/must"
	"onlyonce/internal/people/peoplecases"
	"onlyonce/internal/site/sitetest"
)

// page is a page of the events.
type page struct {
	Events []struct {
		ID, Resource, Operation, What, Actor, Key string
		Record                                    string `json:"record_id"`
		Changes                                   []struct {
			Field    string
			From, To any
		}
	}
	After string
	More  bool
}

// follow reads the events after a place in pages, as a program does, and returns each in one line.
func follow(b *sitetest.Bundle, program *sitetest.Client, after string) (lines []string, _ string) {
	b.Helper()
	for more := true; more; {
		p := sitetest.Decode[page](b, program.Get("/api/v1/events?limit=2&after="+after).Want(b, http.StatusOK))
		must.Thatf(b, !p.More || p.After != after, "a page leads to itself: %v", p)
		for _, e := range p.Events {
			line := fmt.Sprintf("%s %s %s by %s", e.Resource, e.Operation, e.What, e.Actor)
			for _, c := range e.Changes {
				line += fmt.Sprintf(", %s from %v to %v", c.Field, c.From, c.To)
			}
			lines = append(lines, line)
		}
		after, more = p.After, p.More
	}
	return lines, after
}

// TestEvents: a program has what was done since the start, without what has no API. A page without events has the place to go on from.
func TestEvents(t *testing.T) {
	b := sitetest.Setup(t)
	program, customers := b.Program(b.Replica, b.Acme), customercases.Customers()
	b.Prepared(b.Acme, "early", customers, customers.Other)
	lines, after := follow(b, program, "")
	assert.Thatf(t, len(lines) == 0 && after == "0", "before the start: %q, after %s", lines, after)

	b.Prepared(b.Acme, "start", eventcases.Feeds(), eventcases.Feeds().Command)
	b.Prepared(b.Acme, "token", peoplecases.APITokens(), peoplecases.APITokens().Command)
	made := b.Prepared(b.Acme, "made", customers, customers.Command)
	b.Prepared(b.Acme, "again", customers, customers.Command)
	path := "/api/v1/customers/" + made.ID
	edit := program.With("If-Match", program.Get(path).Header.Get("ETag"))
	edited := customers.API.Encode(sitetest.Change(customers.Command, "name", "Ada King"))
	edit.Must(edit.Send(t.Context(), http.MethodPut, path, edited)).Want(t, http.StatusOK)
	b.Prepared(b.Globex, "other", customers, customers.Command)
	for range 2 {
		program.Post(path+"/archive", "").Want(t, http.StatusOK)
	}
	archived := sitetest.Decode[struct {
		Archived string `json:"archived_at"`
	}](b, program.Get(path)).Archived
	want := []string{
		"event-feeds event_feed.start created by token test",
		"customers customer.upsert created by token test",
		"customers customer.edit changed by token test, name from Ada Lovelace to Ada King",
		"customers customer.archive changed by token test, archived_at from <nil> to " + archived,
	}
	if lines, after = follow(b, program, ""); !slices.Equal(lines, want) {
		t.Errorf("after %s:\n%s", after, strings.Join(lines, "\n"))
	}
	if lines, next := follow(b, program, after); len(lines) > 0 || next != after {
		t.Errorf("at the end: %q, after %s", lines, next)
	}

	b.Exec(`SELECT erase_history($1, ARRAY[$2::uuid])`, b.Acme.ID, made.ID)
	erased := program.Get("/api/v1/events").Want(t, http.StatusOK)
	assert.Thatf(t, !strings.Contains(erased.Body, "Ada") && strings.Contains(erased.Body, "customer.edit"), "after the erasure: %v", erased)
	for _, place := range []string{"x", "-1", after + "&after=" + after, "99999", "99999999999999999999"} {
		p := sitetest.Decode[sitetest.Problem](b, program.Get("/api/v1/events?after="+place).Want(b, http.StatusUnprocessableEntity))
		assert.Thatf(t, len(p.Errors) == 1 && p.Errors[0].Pointer == "/after", "%s: %v", place, p)
	}
	program.Get("/api/v1/events?limit=101").Want(t, http.StatusUnprocessableEntity)
	b.Program(b.Replica, b.Globex).Get("/api/v1/events?after="+after).Want(t, http.StatusUnprocessableEntity)
}
