package invoicepages_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer/customercases"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/must"
	"onlyonce/internal/people/peoplecases"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/site/sitetest"
)

// TestChangedCollation repeats requests after the order of the database's default collation has changed, as after an upgrade of
// the operating system. The indexes keep the old order.
func TestChangedCollation(t *testing.T) {
	pgtest.Long(t)
	b := sitetest.Setup(t)
	const many, signs = 150, "abABxX01_"
	words := make([]string, many)
	random := rand.New(rand.NewPCG(1, 2))
	for n := range words {
		for range 6 {
			words[n] += signs[random.IntN(len(signs)):][:1]
		}
		words[n] += fmt.Sprint("_", n)
	}
	number, bank := issuedInvoice(b), invoicecases.SenderOf(b, b.Acme, "standard")
	// Each function sends a request under a key about the record named by a word, and returns the answer.
	ways := map[string]func(at *sitetest.Replica, key, word string) sitetest.Answer{
		"customers": func(at *sitetest.Replica, key, word string) sitetest.Answer {
			return b.Program(at, b.Acme).
				Create(customercases.Customers(), key, sitetest.Change(customercases.Customers().Command, "email", word+"@example.com",
					"name", word))
		},
		"invoices": func(at *sitetest.Replica, key, word string) sitetest.Answer {
			return b.Program(at, b.Acme).
				Create(invoicecases.Invoices(), key, sitetest.Change(invoicecases.Invoices().Command, "number", word))
		},
		"payments": func(at *sitetest.Replica, key, word string) sitetest.Answer {
			return bank.Deliver(at, key, invoicecases.PaidBy(number, word, "0.01"))
		},
		"users": func(at *sitetest.Replica, key, word string) sitetest.Answer {
			return b.Program(at, b.Acme).
				Create(peoplecases.Users(), key, sitetest.Change(peoplecases.Users().Command, "email", word+"@example.org"))
		},
		"api_tokens": func(at *sitetest.Replica, key, word string) sitetest.Answer {
			return b.Program(at, b.Acme).
				Create(peoplecases.APITokens(), key, sitetest.Change(peoplecases.APITokens().Command, "name", word))
		},
	}
	counts := func() (all string) {
		for _, table := range slices.Sorted(maps.Keys(ways)) {
			all += fmt.Sprintln(table, sitetest.Get[int](b, `SELECT count(*) FROM `+table))
		}
		return all
	}
	for table, send := range ways {
		before := sitetest.Get[int](b, `SELECT count(*) FROM `+table)
		for _, word := range words {
			a := send(b.Replica, word, word)
			must.Thatf(t, a.Status < http.StatusBadRequest, "%s %s: %v", table, word, a)
		}
		wantCount(b, before+many, table)
	}
	want, whole := counts(), b.Rows()

	b.DB.ChangeOrder(t)
	b.Admin.Reset()
	b.Pool.Reset()
	must.Thatf(t, sitetest.Get[bool](b, `SELECT 'a' < 'B' AND 'B' < 'c'`), "the order is as before")
	other := b.ServeOn(b.Pool) // with empty caches
	for table, send := range ways {
		for _, word := range words {
			a := send(other, word, word)
			assert.Thatf(t, a.Status < http.StatusBadRequest, "%s %s again: %v", table, word, a)
		}
	}
	b.WantRows(whole)
	for _, send := range ways {
		for _, word := range words {
			send(other, "other "+word, word)
		}
	}
	assert.Equal(t, counts(), want, "under other keys")
}
