package invoicepages_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer/customercases"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/must"
	"onlyonce/internal/site/sitetest"
)

func TestRaceOneNumber(t *testing.T) {
	b := sitetest.Setup(t)
	r := b.Race(b.Creating(invoicecases.Invoices()), sitetest.JSON{})
	answers := numbered(r, 100, func(i int) (string, string) { return fmt.Sprint("key-", i), "2026-0042" })
	var winner string
	for _, a := range answers {
		if a.Status == http.StatusCreated {
			winner = sitetest.Decode[sitetest.Created](r.Bundle, a).ID
		}
	}
	conflicts := 0
	for _, a := range answers {
		if a.Status == http.StatusConflict {
			conflicts++
			p := sitetest.Decode[sitetest.Problem](r.Bundle, a)
			assert.Thatf(t, p.ExistingID == winner && p.Type == "/problems/number-taken" && p.NextNumber == "2026-0001",
				"%s won, and the conflict is %v", winner, a)
		}
	}
	assert.Thatf(t, conflicts == 99, "%d conflicts", conflicts)
	r.WantRows(r.Leaves)
}

// TestRaceOfEverything: 40 intents, each sent five times. Ten want the same number, ten have a different number each, and
// twenty take the next.
func TestRaceOfEverything(t *testing.T) {
	b := sitetest.Setup(t)
	r := b.Race(b.Creating(invoicecases.Invoices()), sitetest.JSON{})
	answers := numbered(r, 200, func(i int) (string, string) {
		switch intent := i % 40; {
		case intent < 10:
			return fmt.Sprint("key-", intent), "wanted"
		case intent < 20:
			return fmt.Sprint("key-", intent), fmt.Sprint("own-", intent)
		default:
			return fmt.Sprint("key-", intent), ""
		}
	})
	byKey := map[int]map[string]bool{}
	acknowledged := map[string]bool{}
	for i, a := range answers {
		switch a.Status {
		case http.StatusCreated:
			id := sitetest.Decode[sitetest.Created](r.Bundle, a).ID
			acknowledged[id] = true
			if byKey[i%40] == nil {
				byKey[i%40] = map[string]bool{}
			}
			byKey[i%40][a.Body] = true
		case http.StatusConflict:
			assert.Thatf(t, i%40 < 10, "a conflict about nothing: %v", a)
		default:
			t.Errorf("%v", a)
		}
	}
	for intent, bodies := range byKey {
		assert.Thatf(t, len(bodies) == 1, "intent %d got different answers: %v", intent, bodies)
	}
	// In both directions: each acknowledged invoice is stored, and each stored one was acknowledged.
	stored := sitetest.Get[[]string](r.Bundle, `SELECT array_agg(id::text ORDER BY id) FROM invoices`)
	for _, id := range stored {
		assert.Thatf(t, acknowledged[id], "no answer has %s", id)
	}
	assert.Thatf(t, len(stored) == 31 && len(acknowledged) == 31 && len(byKey) == 31,
		"%d stored, %d acknowledged, %d intents served, want 31 each", len(stored), len(acknowledged), len(byKey))
	numbers := sitetest.Get[int](r.Bundle, `SELECT count(DISTINCT number) FROM invoices WHERE number BETWEEN '2026-0001' AND '2026-0020'`)
	assert.Thatf(t, numbers == 20, "%d of the numbers 1 to 20", numbers)
}

// TestRaceWithExpiry: results expire at once and are erased all the time, and still nothing is created twice.
func TestRaceWithExpiry(t *testing.T) {
	b := sitetest.Setup(t)
	r := b.Race(b.Creating(invoicecases.Invoices()), sitetest.JSON{}, func(c *sitetest.Config) { c.Store.Retain = time.Microsecond })
	ctx, stop := context.WithCancel(t.Context())
	var sweepers sync.WaitGroup
	for range 2 {
		sweepers.Go(func() {
			for ctx.Err() == nil {
				_, err := idempotency.Expire(ctx, r.DB.Pool, r.Acme.ID)
				assert.Thatf(t, err == nil || ctx.Err() != nil, "%v", err)
			}
		})
	}
	answers := numbered(r, 200, func(i int) (string, string) { return fmt.Sprint("key-", i%20), "" })
	stop()
	sweepers.Wait()
	ids := map[int]string{}
	for i, a := range answers {
		must.Thatf(t, a.Status == http.StatusCreated || a.Status == http.StatusOK, "%v", a)
		id := sitetest.Decode[sitetest.Created](r.Bundle, a).ID
		if ids[i%20] == "" {
			ids[i%20] = id
		}
		assert.Thatf(t, ids[i%20] == id, "key %d made %s and %s", i%20, ids[i%20], id)
	}
	assert.Equal(t, r.Rows()["invoices"], 20, "invoices of 20 intents")
}

// numbered is run for invoices that differ only in their numbers, so most are likely repeats. Only people are asked about
// those.
func numbered(r *sitetest.Race, n int, intent func(i int) (key, number string)) []sitetest.Answer {
	r.Helper()
	return r.Run(n, func(i int) (string, url.Values) {
		key, number := intent(i)
		return key, sitetest.Change(r.Command, "number", number)
	})
}

// TestSyncs: two syncs of customers, their invoices and payments run at once, each at another replica and with other keys, and
// a third one after them. Each record exists once, and is the answer to each sync.
func TestSyncs(t *testing.T) {
	const customersSynced = 12
	b := sitetest.Setup(t)
	replicas := []*sitetest.Client{b.Program(b.Serve(), b.Acme), b.Program(b.Serve(), b.Acme)}
	run := func(c *sitetest.Client, night string, i int) (ids [3]string) {
		n := fmt.Sprint(i)
		key := func(of string) string { return strings.Join([]string{night, of, n}, " ") }
		made := func(of sitetest.Resource, command url.Values) string {
			a := c.Create(of.Called(n), key(of.Name), command)
			if a.Status != http.StatusCreated && a.Status != http.StatusOK {
				t.Errorf("%s: %v", key(of.Name), a)
			}
			return sitetest.Decode[sitetest.Created](b, a).ID
		}
		id := made(customercases.Customers(), sitetest.Change(customercases.Customers().Command, "email", n+"@example.com"))
		bill := made(invoicecases.Invoices(), sitetest.Change(invoicecases.Invoices().Command, "customer_id", id, "notes", n))
		c.With("Idempotency-Key", key("issue")).Post("/api/v1/invoices/"+bill+"/issue", "").Want(t, http.StatusOK, key("issue"))
		paid := invoicecases.Payments()
		paid.Parent.ID = bill
		// The whole open amount: a second payment would exceed it.
		return [3]string{id, bill, made(paid, sitetest.Change(paid.Command, "amount", "135.77", "reference", "TX "+n))}
	}
	var answered [3][customersSynced][3]string
	gate := make(chan struct{})
	var all sync.WaitGroup
	for n := range 2 * customersSynced {
		all.Go(func() {
			<-gate
			answered[n%2][n/2] = run(replicas[n%2], fmt.Sprint(n%2), n/2)
		})
	}
	close(gate)
	all.Wait()
	for i := range customersSynced {
		answered[2][i] = run(replicas[i%2], "2", i)
	}
	assert.Thatf(t, answered[0] == answered[1] && answered[1] == answered[2],
		"not the same:\n%v\n%v\n%v", answered[0], answered[1], answered[2])
	for table, want := range map[string]int{
		"customers": 1, "invoices": 1, "payments": 1, "postings": 1, "intents": 3 * 4,
		"invoices WHERE status = 'issued' AND open_amount = 0": 1, "intents WHERE outcome = 'created'": 3,
		"intents WHERE outcome = 'reused'": 6, "intents WHERE outcome = 'changed'": 1, "intents WHERE outcome = 'unchanged'": 2,
	} {
		assert.Equal(t, sitetest.Get[int](b, `SELECT count(*) FROM `+table), want*customersSynced, table)
	}
	b.WantOutcomes(slices.Concat(
		slices.Repeat(sitetest.Outcomes("created"), 3*customersSynced), slices.Repeat(sitetest.Outcomes("reused"), 6*customersSynced),
		slices.Repeat(sitetest.Outcomes("changed"), customersSynced), slices.Repeat(sitetest.Outcomes("unchanged"), 2*customersSynced))...)
}
