package torture

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// following is a program of each tenant that follows the event feed, at both replicas in turn.
type following struct {
	addrs addresses
	http  *http.Client

	reports

	feeds [len(tokens)]feed
}

// feed is what a program has read of a feed.
type feed struct {
	turn       int
	after      string
	ids        []string
	operations map[string]bool
}

// run follows the feeds until ctx ends.
func (f *following) run(ctx context.Context) {
	f.each(func(tenant int) {
		for ctx.Err() == nil {
			f.next(ctx, tenant)
			Pause(ctx, 20*time.Millisecond)
		}
	})
}

// finish reads the feeds to their ends.
func (f *following) finish(ctx context.Context) {
	defer f.http.CloseIdleConnections()
	f.each(func(tenant int) {
		for ctx.Err() == nil && f.next(ctx, tenant) {
			Pause(ctx, time.Millisecond)
		}
	})
}

func (f *following) each(do func(tenant int)) {
	var all sync.WaitGroup
	for tenant := range tokens {
		all.Go(func() { do(tenant) })
	}
	all.Wait()
}

// next reads a page of a feed, and reports whether there may be more. If the feed doesn't have the place any more, because the server was
// brought back, it is read from its start.
func (f *following) next(ctx context.Context, tenant int) (more bool) {
	feed := &f.feeds[tenant]
	feed.turn++
	attempt, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	url := "http://" + f.addrs[tenant][feed.turn%2] + "/api/v1/events?limit=100&after=" + feed.after
	a, err := exchange(attempt, f.http, http.MethodGet, url, http.Header{"Authorization": {"Bearer " + tokens[tenant]}}, nil)
	var page struct {
		Events []struct {
			ID        string `json:"id"`
			Operation string `json:"operation"`
		} `json:"events"`
		After string `json:"after"`
		More  bool   `json:"more"`
	}
	switch {
	case err != nil || a.busy():
		return true
	case a.status == http.StatusUnprocessableEntity && feed.after != "":
		feed.after, feed.ids = "", nil
		return true
	case a.status != http.StatusOK || json.Unmarshal(a.text, &page) != nil || page.After == "":
		f.reportf(contract, "the events got %d: %.2000s", a.status, a.text)
		return false
	}
	for _, event := range page.Events {
		if feed.operations == nil {
			feed.operations = map[string]bool{}
		}
		feed.ids, feed.operations[event.Operation] = append(feed.ids, event.ID), true
	}
	feed.after = page.After
	return page.More
}

// judge compares what was read with the events of the database, as far as the last one that was read of each tenant.
func (f *following) judge(ctx context.Context, conn *pgx.Conn) ([]Violation, error) {
	operations, ids := map[string]bool{}, []string{}
	for _, feed := range f.feeds {
		maps.Copy(operations, feed.operations)
		ids = append(ids, feed.ids...)
	}
	const read = `
		WITH read AS (SELECT id, place FROM unnest(@ids::uuid[]) WITH ORDINALITY AS read (id, place)), noted AS (
			SELECT e.tenant_id, n, operation, key, attempt_id FROM events e JOIN intents USING (tenant_id, operation, key)
		)`
	found, err := broken(ctx, conn, []rule{
		{"a program reads each event once", read + `, last AS (
				SELECT tenant_id, max(n) AS n FROM noted JOIN read ON id = attempt_id GROUP BY 1
			)
			SELECT format('%s %s was read %s times', operation, key, times)
			FROM noted JOIN last USING (tenant_id), LATERAL (SELECT count(*) AS times FROM read WHERE id = attempt_id) AS read
			WHERE noted.n <= last.n AND operation = ANY (@operations) AND times <> 1
			UNION ALL
			SELECT format('%s was read, and is no event', id)
			FROM read WHERE NOT EXISTS (SELECT FROM noted WHERE attempt_id = id)`},
		{"a program reads events in their order", read + `
			SELECT format('event %s was read after event %s', n, before)
			FROM (
				SELECT n, lag(n) OVER (PARTITION BY tenant_id ORDER BY place) AS before
				FROM read JOIN noted ON attempt_id = id) AS read
			WHERE n <= before`},
	}, pgx.NamedArgs{"ids": ids, "operations": slices.Collect(maps.Keys(operations))})
	if err == nil && len(ids) == 0 {
		err = errors.New("no event was read")
	}
	return slices.Concat(f.all(), found), err
}
