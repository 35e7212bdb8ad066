package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/record"
	"onlyonce/internal/web/apidoc"
)

// eventsJSON is a page of the events.
type eventsJSON struct {
	Events []feedEventJSON `json:"events" doc:"In the order in which they are to be applied."`
	After  string          `json:"after" doc:"Send it as after for the next page, also if this one is empty."`
	More   bool            `json:"more" doc:"Whether there are more already."`
}

// feedEventJSON is an event of a record, as in its history.
type feedEventJSON struct {
	ID       uuid.UUID `json:"id" doc:"The same for life."`
	Resource string    `json:"resource" doc:"Of the record: the words of its address."`
	Record   uuid.UUID `json:"record_id"`

	eventJSON

	Effects []idempotency.Effect `json:"effects,omitzero" doc:"Other records that came along or were changed."`
}

// Events registers the events of a tenant in the API, documented with a resource: GET /events. It omits operations on resources
// without an API.
func Events[R Entity](m *Mounted[R]) { m.untyped.feed() }

func (m *resource) feed() {
	const path = "/events"
	m.document(apidoc.Endpoint{
		Method: http.MethodGet, Path: path, Name: "events.list", Repeats: "reads",
		Summary: "What was created or changed since the first event feed was started, oldest first. " +
			"A page may have fewer events than its limit.",
		Query: []Parameter{
			{Name: "after", Meaning: "The after of the page before. Without it, from the start."},
			{Name: "limit", Meaning: "From 1 to 100, by default 25.", Format: "integer"},
		},
		Gives: reflect.TypeFor[eventsJSON](), Schema: "Events", Untagged: true,
	})
	m.api.read(path, func(w http.ResponseWriter, r *http.Request) error {
		page, err := m.s.eventsAfter(r)
		if err != nil {
			return err
		}
		return writeJSON(w, http.StatusOK, "application/json", page)
	})
}

// eventsAfter reads the page of events that a request asks for. Its error may be an [*invalid.Error].
func (s *Server) eventsAfter(r *http.Request) (answer eventsJSON, err error) {
	page, err := listParameters(r)
	if err != nil {
		return answer, err
	}
	list := record.ListName("/events", nil)
	after, err := eventPlace(r.URL.Query()["after"], list)
	if err != nil {
		return answer, err
	}
	tenant := Principal(r).Tenant
	last, err := idempotency.LastEvent(r.Context(), s.Pool, tenant, after)
	switch {
	case errors.Is(err, record.ErrKey):
		return answer, errForeignPlace()
	case err != nil:
		return answer, err
	}
	found, err := idempotency.Events(r.Context(), s.Pool, tenant, after, last, page.Limit)
	if err != nil {
		return answer, err
	}
	if len(found) > 0 {
		after = found[len(found)-1].Place
	}
	answer.After = record.Cursor{Of: list, From: record.Key{strconv.FormatInt(after.N, 10), after.ID.String()}}.String()
	answer.More = after.N < last
	answer.Events, err = s.eventsShown(r.Context(), tenant, found)
	return answer, err
}

// eventPlace returns the place of the values of a parameter, which is the start without one. Its error is an [*invalid.Error].
func eventPlace(typed []string, list string) (place idempotency.EventPlace, err error) {
	if len(typed) == 0 || len(typed) == 1 && typed[0] == "" {
		return place, nil
	}
	cursor, ok := record.ParseCursor(typed[0], list)
	if !ok || len(typed) > 1 {
		return place, errForeignPlace()
	}
	place.N, err = strconv.ParseInt(cursor.From[0], 10, 64)
	if err == nil {
		place.ID, err = uuid.Parse(cursor.From[1])
	}
	if err != nil {
		return place, errForeignPlace()
	}
	return place, nil
}

// errForeignPlace is also for an event that isn't there any more since a backup was restored.
func errForeignPlace() error {
	var problems invalid.Error
	problems.Add("/after", "Send the after of one page of these events. After a backup was restored, begin again without it.")
	return problems.Err()
}

// EventJSON returns the JSON of the event of a tenant with a number, as in the feed, or nil for an event of a record without an API.
func (s *Server) EventJSON(ctx context.Context, tenant uuid.UUID, n int64) ([]byte, error) {
	found, err := idempotency.Events(ctx, s.Pool, tenant, idempotency.EventPlace{N: n - 1}, n, 1)
	if err != nil {
		return nil, err
	}
	shown, err := s.eventsShown(ctx, tenant, found)
	if err != nil || len(shown) == 0 {
		return nil, err
	}
	text, err := json.Marshal(shown[0], json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("encode the event: %w", err)
	}
	return text, nil
}

// eventsShown returns events in the form of the API. It omits events of records without an API.
func (s *Server) eventsShown(ctx context.Context, tenant uuid.UUID, found []idempotency.Event) ([]feedEventJSON, error) {
	places := map[uuid.UUID][]int{} // of the events of each record, newest first
	latest := map[uuid.UUID]time.Time{}
	ids := map[*resource][]uuid.UUID{}
	for i, e := range slices.Backward(found) {
		m := s.resourceWith(e.Operation)
		if m == nil || m.api.mux == nil || m.owners {
			continue
		}
		if places[e.Record] == nil {
			ids[m], latest[e.Record] = append(ids[m], e.Record), e.At
		}
		places[e.Record] = append(places[e.Record], i)
	}
	later, err := idempotency.Before(ctx, s.Pool, tenant, latest)
	if err != nil {
		return nil, err
	}
	shown := make([]feedEventJSON, len(found))
	for m, ids := range ids {
		records, err := m.lookupAll(ctx, tenant, ids)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			is := records[id]
			if is == nil { // it was deleted
				is = m.recordOf(nil)
			}
			var entries []idempotency.Entry
			for _, i := range places[id] {
				entries = append(entries, found[i].Entry)
			}
			for n, event := range m.eventsJSON(m.then(is, later[id]), entries) {
				i := places[id][n]
				shown[i] = feedEventJSON{found[i].Place.ID, m.many, id, event, found[i].Effects}
			}
		}
	}
	return slices.DeleteFunc(shown, func(e feedEventJSON) bool { return e.ID == uuid.Nil }), nil
}
