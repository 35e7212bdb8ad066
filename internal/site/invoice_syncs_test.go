package site_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestSyncs: two syncs of customers, their invoices and payments run at once, each at another replica and with other keys, and
// a third one after them. Each record exists once, and is the answer to each sync.
func TestSyncs(t *testing.T) {
	const customersSynced = 12
	b := setup(t)
	replicas := []*client{b.program(b.serve(), b.acme), b.program(b.serve(), b.acme)}
	run := func(c *client, night string, i int) (ids [3]string) {
		n := fmt.Sprint(i)
		key := func(of string) string { return strings.Join([]string{night, of, n}, " ") }
		made := func(of resource, command url.Values) string {
			a := c.create(of.called(n), key(of.name), command)
			if a.status != http.StatusCreated && a.status != http.StatusOK {
				t.Errorf("%s: %v", key(of.name), a)
			}
			return decode[created](b, a).ID
		}
		id := made(customers(), change(customers().command, "email", n+"@example.com"))
		bill := made(invoices(), change(invoices().command, "customer_id", id, "notes", n))
		if a := c.with("Idempotency-Key", key("issue")).post("/api/v1/invoices/"+bill+"/issue", ""); a.status != http.StatusOK {
			t.Errorf("%s: %v", key("issue"), a)
		}
		paid := payments()
		paid.parent.id = bill
		// The whole open amount: a second payment would exceed it.
		return [3]string{id, bill, made(paid, change(paid.command, "amount", "135.77", "reference", "TX "+n))}
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
	if answered[0] != answered[1] || answered[1] != answered[2] {
		t.Errorf("not the same:\n%v\n%v\n%v", answered[0], answered[1], answered[2])
	}
	for table, want := range map[string]int{
		"customers": 1, "invoices": 1, "payments": 1, "postings": 1, "intents": 3 * 4,
		"invoices WHERE status = 'issued' AND open_amount = 0": 1, "intents WHERE outcome = 'created'": 3,
		"intents WHERE outcome = 'reused'": 6, "intents WHERE outcome = 'changed'": 1, "intents WHERE outcome = 'unchanged'": 2,
	} {
		if n := get[int](b, `SELECT count(*) FROM `+table); n != want*customersSynced {
			t.Errorf("%d %s, want %d", n, table, want*customersSynced)
		}
	}
	b.wantOutcomes(slices.Concat(
		slices.Repeat(outcomes("created"), 3*customersSynced), slices.Repeat(outcomes("reused"), 6*customersSynced),
		slices.Repeat(outcomes("changed"), customersSynced), slices.Repeat(outcomes("unchanged"), 2*customersSynced))...)
}
