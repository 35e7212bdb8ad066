package invoicepages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"onlyonce/internal/customer/customercases"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/must"
	"onlyonce/internal/site/sitetest"
)

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
	must.Holdf(t, answered[0] == answered[1] && answered[1] == answered[2],
		"not the same:\n%v\n%v\n%v", answered[0], answered[1], answered[2])
	for table, want := range map[string]int{
		"customers": 1, "invoices": 1, "payments": 1, "postings": 1, "intents": 3 * 4,
		"invoices WHERE status = 'issued' AND open_amount = 0": 1, "intents WHERE outcome = 'created'": 3,
		"intents WHERE outcome = 'reused'": 6, "intents WHERE outcome = 'changed'": 1, "intents WHERE outcome = 'unchanged'": 2,
	} {
		must.Equal(t, sitetest.Get[int](b, `SELECT count(*) FROM `+table), want*customersSynced, table)
	}
	b.WantOutcomes(slices.Concat(
		slices.Repeat(sitetest.Outcomes("created"), 3*customersSynced), slices.Repeat(sitetest.Outcomes("reused"), 6*customersSynced),
		slices.Repeat(sitetest.Outcomes("changed"), customersSynced), slices.Repeat(sitetest.Outcomes("unchanged"), 2*customersSynced))...)
}
