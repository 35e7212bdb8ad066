package invoice_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"pgregory.net/rapid"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invalid/text"
	"onlyonce/internal/invoice"
	"onlyonce/internal/must"
)

// lookAlikes lists spellings of RE-2026 A7 that look the same.
var lookAlikes = []string{
	"RE-2026 A7", "re-2026 a7", "ＲＥ－２０２６　Ａ７", "RE\u20112026 A7", "RE\u20132026\u00a0A7", "RE\u22122026 a7", "𝐑𝐄-𝟐𝟎𝟐𝟔 A7",
	"RE-\u200b2026 A7",
}

func TestLookAlikesAreOneNumber(t *testing.T) {
	b := setup(t)
	for i, number := range lookAlikes {
		in := input(number)
		done, err := b.create(fmt.Sprint(i), draft(t, in))
		taken, refused := numberTaken(err)
		switch {
		case i == 0 && (err != nil || done.Value.Number != number):
			t.Fatalf("%q: %+v, %v", number, done.Value, err)
		case i > 0 && (!refused || taken.Name != lookAlikes[0]):
			t.Errorf("%q: %v", number, err)
		}
	}
	assert.Equal(t, b.count(`SELECT count(*) FROM invoices`), 1, "invoices")
}

func TestNumberIsShownAsTyped(t *testing.T) {
	b := setup(t)
	done, err := b.create("k", draft(t, input(" ＲＥ\u20117  b ")))
	assert.Thatf(t, err == nil && done.Value.Number == "ＲＥ\u20117 b", "%q, %v", done.Value.Number, err)
	again, err := b.create("k", draft(t, input("re-7 B")))
	assert.Thatf(t, err == nil && again.Replayed, "the same number, written otherwise, is another command: %v", err)
}

// The program removes or refuses invisible characters, and refuses letters that look like others. The database refuses both.
func TestNumbersWithoutHiddenCharacters(t *testing.T) {
	b := setup(t)
	b.OK(b.create("k", draft(t, input("R-1"))))
	for _, number := range []string{
		"\u200b", "R\u200b-1", "\ufeffR-1", "R\u00ad-1", "\u202e1-R", "\u0420-1" /* Cyrillic */, "\u03a1-1" /* Greek */, "Ŕ-1",
		"R-1\u0301", "٢٠٢٦-1", "R\x1b-1", "R\x07", strings.Repeat("x", 41),
	} {
		d, err := input(number).Draft()
		problems, refused := errors.AsType[*invalid.Error](err)
		clean := text.Clean(number)
		assert.Thatf(t, (clean == number || string(d.Number) == clean) &&
			(clean != number || refused && problems.Fields[0].Pointer == "/number"), "%q is %q: %v", number, d.Number, err)
		if len(number) > invoice.MaxNumber {
			continue
		}
		_, err = b.Admin.Exec(t.Context(), `UPDATE invoices SET number = $1`, number)
		broken, ok := errors.AsType[*pgconn.PgError](err)
		assert.Thatf(t, ok && broken.ConstraintName == "invoices_number_ascii", "%q, past Go: %v", number, err)
	}
}

// The program and the database must fold numbers in the same way.
func TestFoldsLikeTheDatabase(t *testing.T) {
	b := setup(t)
	admin := b.Admin
	runes := rapid.SampledFrom([]rune("aZß09 -/." +
		"\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0dＡｚ０９①½Kﬁ\u00a0\u2003\u3000éÅ\u200b\u00ad\u65e5Яω𝟘"))
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.StringOfN(runes, 1, 12, -1).Draw(t, "number")
		var folded string
		must.OK(t, admin.QueryRow(b.Context(), `SELECT fold_invoice_number($1)`, number).Scan(&folded))
		assert.Equal(t, invoice.Number(number).Folded(), folded, number, "folded by Go")
	})
}

func TestNumberOfAnotherYearIsRefused(t *testing.T) {
	b := setup(t)
	for _, c := range []struct {
		number string
		fine   bool
	}{
		{"2026-0061", true}, {"2027-0061", false}, {"２０２７\u20110061", false}, {"2027-00061", false}, {"2027-61", true},
		{"2027-0061a", true}, {"1234-5678", true}, {"2025-123456", false},
	} {
		_, err := input(c.number).Draft()
		problems, refused := errors.AsType[*invalid.Error](err)
		assert.Thatf(t, refused != c.fine && (!refused || strings.Contains(problems.Fields[0].Message, "Change the issue date")),
			"%s: %v", c.number, err)
		_, err = b.Admin.Exec(t.Context(), `
			INSERT INTO invoices (tenant_id, id, number, customer_id, currency, issue_date, due_date, notes, subtotal, tax_total, total)
			VALUES ($1, gen_random_uuid(), $2::text, gen_random_uuid(), 'EUR', '2026-11-21', '2026-12-21', '', 0, 0, 0)`,
			b.Tenant, c.number)
		want := "invoices_customer"
		if !c.fine {
			want = "invoices_number_of_its_year"
		}
		broken, ok := errors.AsType[*pgconn.PgError](err)
		assert.Thatf(t, ok && (broken.ConstraintName == want || !isASCII(c.number)), "%s, past Go: %v", c.number, err)
	}
}

func isASCII(s string) bool { return strconv.QuoteToASCII(s) == strconv.Quote(s) }

// A number of 2027 can't be typed in 2026, so the series of 2027 never collides with it.
func TestSeriesOfTheNextYear(t *testing.T) {
	b := setup(t)
	in := input("")
	in.IssueDate, in.DueDate = "2027-01-01", "2027-01-01"
	done, err := b.create("k", draft(t, in))
	assert.Thatf(t, err == nil && done.Value.Number == "2027-0001", "%+v, %v", done.Value, err)
}

// The next number is the first free one, regardless of typed, imported and rolled back numbers, and the runs cover exactly the taken
// numbers.
func TestNextNumberIsTheFirstFree(t *testing.T) {
	b := setup(t)
	rapid.Check(t, func(t *rapid.T) {
		tenant := uuid.New()
		must.Exec(t, b.DB.Pool, `INSERT INTO tenants (id, name) VALUES ($1::uuid, 'Test ' || $1::uuid)`, tenant)
		taken := map[int]bool{}
		firstFree := func() int {
			n := 1
			for taken[n] {
				n++
			}
			return n
		}
		create := func(number string, refuse bool) (invoice.Invoice, error) {
			in := input(number)
			if refuse { // an unknown customer: the whole transaction is rolled back, with its number
				in.Customer, in.CustomerID = nil, uuid.NewString()
			}
			d, err := in.Draft()
			must.OK(t, err)
			intent := idempotency.Intent{Tenant: tenant, Key: idempotency.NewKey(), Actor: "test"}
			done, err := invoice.Create.Do(b.Context(), b.Store, intent, d)
			return done.Value, err
		}
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			refuse := rapid.IntRange(0, 4).Draw(t, "refuse") == 0
			typed := rapid.IntRange(0, 14).Draw(t, "typed") // 0: left to the server
			number, want := "", firstFree()
			if typed > 0 {
				number, want = fmt.Sprintf("2026-%04d", typed), typed
			}
			made, err := create(number, refuse)
			switch {
			case refuse || taken[want]:
				must.Thatf(t, err != nil, "%s was created", made.Number)
			case err != nil:
				t.Fatal(err)
			default:
				must.Thatf(t, made.Number == fmt.Sprintf("2026-%04d", want), "got %s, want %d", made.Number, want)
				taken[want] = true
			}
			next, err := invoice.NextNumber(b.Context(), b.DB.Pool, tenant, 2026)
			must.Thatf(t, err == nil && next == fmt.Sprintf("2026-%04d", firstFree()), "%s is next, %v, want %d", next, err, firstFree())
		}
		var runs string
		err := b.Admin.QueryRow(b.Context(), `
			SELECT COALESCE(string_agg(first || '-' || last, ' ' ORDER BY first), '') FROM invoice_number_runs WHERE tenant_id = $1`,
			tenant).Scan(&runs)
		if want := runsOf(taken); err != nil || runs != want {
			t.Fatalf("runs %s, %v, want %s", runs, err, want)
		}
	})
}

func runsOf(taken map[int]bool) string {
	var runs []string
	for first := 1; first < 100; first++ {
		if taken[first] && !taken[first-1] {
			last := first
			for taken[last+1] {
				last++
			}
			runs = append(runs, fmt.Sprintf("%d-%d", first, last))
		}
	}
	return strings.Join(runs, " ")
}

// With concurrent typed and allocated numbers, each allocated number is free, only typed numbers that are taken fail, and no number is
// left out.
func TestTypedAndAllocatedTogether(t *testing.T) {
	b := setup(t)
	const n = 60
	done, errs := race(n, func(i int) (idempotency.Done[invoice.Invoice], error) {
		number := ""
		if i%2 == 1 {
			number = fmt.Sprintf("2026-%04d", i) // the odd ones
		}
		return b.create(fmt.Sprint("key-", i), draft(t, input(number)))
	})
	var numbers []string
	for i := range done {
		taken, refused := numberTaken(errs[i])
		switch {
		case errs[i] == nil:
			numbers = append(numbers, done[i].Value.Number)
		case i%2 == 0 || !refused || taken.Name != fmt.Sprintf("2026-%04d", i):
			t.Errorf("attempt %d: %v", i, errs[i])
		}
	}
	slices.Sort(numbers)
	rows := b.count(`SELECT count(*) FROM invoices`)
	assert.Thatf(t, rows == len(numbers) && len(slices.Compact(slices.Clone(numbers))) == rows, "%d rows, acknowledged %v", rows, numbers)
	next, err := invoice.NextNumber(t.Context(), b.DB.Pool, b.Tenant, 2026)
	gaps := b.count(`SELECT count(*) FROM generate_series(1, $1) AS n
		WHERE NOT EXISTS (SELECT FROM invoices WHERE number = '2026-' || lpad(n::text, 4, '0'))`, 30)
	assert.Thatf(t, err == nil && gaps == 0, "next %s, %v, %d gaps below", next, err, gaps)
}

// TestGoesOnBehindTogether creates invoices concurrently. One has a typed number ahead, after which the series continues. Earlier ones
// get the first numbers, later ones the numbers after it, and none is left out.
func TestGoesOnBehindTogether(t *testing.T) {
	b := setup(t)
	const n = 60
	done, errs := race(n, func(i int) (idempotency.Done[invoice.Invoice], error) {
		in := input("")
		if i == n/2 {
			in.Number, in.Series = "2026-0138", invoice.SeriesContinue
		}
		return b.create(fmt.Sprint("key-", i), draft(t, in))
	})
	must.OK(t, errors.Join(errs...))
	var got, want []string
	before := 0
	for _, d := range done {
		got = append(got, d.Value.Number)
		if d.Value.Number < "2026-0138" {
			before++
		}
	}
	for i := range n {
		place := i + 1
		if i >= before {
			place = 138 + i - before
		}
		want = append(want, fmt.Sprintf("2026-%04d", place))
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	next, err := invoice.NextNumber(t.Context(), b.DB.Pool, b.Tenant, 2026)
	if want := fmt.Sprintf("2026-%04d", 138+n-before); err != nil || next != want {
		t.Errorf("%s is next, %v, want %s", next, err, want)
	}
}
