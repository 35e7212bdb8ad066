package site_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
)

// TestChangedCollation repeats requests after the order of the database's default collation has changed, as after an upgrade of
// the operating system. The indexes keep the old order.
func TestChangedCollation(t *testing.T) {
	b := setup(t)
	const many, signs = 150, "abABxX01_"
	words := make([]string, many)
	random := rand.New(rand.NewPCG(1, 2))
	for n := range words {
		for range 6 {
			words[n] += signs[random.IntN(len(signs)):][:1]
		}
		words[n] += fmt.Sprint("_", n)
	}
	number, bank := b.issuedInvoice(), b.sender(b.acme, "standard")
	// Each function sends a request under a key about the record named by a word, and returns the answer.
	ways := map[string]func(at *replica, key, word string) answer{
		"customers": func(at *replica, key, word string) answer {
			return b.program(at, b.acme).create(customers(), key, change(customers().command, "email", word+"@example.com", "name", word))
		},
		"invoices": func(at *replica, key, word string) answer {
			return b.program(at, b.acme).create(invoices(), key, change(invoices().command, "number", word))
		},
		"payments": func(at *replica, key, word string) answer {
			return bank.deliver(at, key, paidBy(number, word, "0.01"))
		},
		"users": func(at *replica, key, word string) answer {
			return b.program(at, b.acme).create(users(), key, change(users().command, "email", word+"@example.org"))
		},
		"api_tokens": func(at *replica, key, word string) answer {
			return b.program(at, b.acme).create(apiTokens(), key, change(apiTokens().command, "name", word))
		},
	}
	counts := func() (all string) {
		for _, table := range slices.Sorted(maps.Keys(ways)) {
			all += fmt.Sprintln(table, get[int](b, `SELECT count(*) FROM `+table))
		}
		return all
	}
	for table, send := range ways {
		before := get[int](b, `SELECT count(*) FROM `+table)
		for _, word := range words {
			if a := send(b.replica, word, word); a.status >= http.StatusBadRequest {
				t.Fatalf("%s %s: %v", table, word, a)
			}
		}
		b.wantCount(before+many, table)
	}
	want, whole := counts(), b.rows()

	b.db.ChangeOrder(t)
	b.admin.Reset()
	b.pool.Reset()
	if !get[bool](b, `SELECT 'a' < 'B' AND 'B' < 'c'`) {
		t.Fatal("the order is as before")
	}
	other := b.serveOn(b.pool) // with empty caches
	for table, send := range ways {
		for _, word := range words {
			if a := send(other, word, word); a.status >= http.StatusBadRequest {
				t.Errorf("%s %s again: %v", table, word, a)
			}
		}
	}
	b.wantRows(whole)
	for _, send := range ways {
		for _, word := range words {
			send(other, "other "+word, word)
		}
	}
	if got := counts(); got != want {
		t.Errorf("under other keys got\n%swant\n%s", got, want)
	}
}
