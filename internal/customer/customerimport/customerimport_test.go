package customerimport_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer"
	"onlyonce/internal/customer/customerimport"
	"onlyonce/internal/file"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/importing"
	"onlyonce/internal/importing/importingtest"
	"onlyonce/internal/invalid"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

func setup(t *testing.T) *importingtest.Bundle {
	t.Helper()
	return importingtest.Setup(t, customerimport.Kind)
}

func rows(from, to int) string {
	var text strings.Builder
	for n := from; n < to; n++ {
		fmt.Fprintf(&text, "Customer %d,%d@example.com\n", n, n)
	}
	return text.String()
}

// TestSameRowsAgain imports a file, then the same one, and then one with ten more rows in other places: exactly those are created.
func TestSameRowsAgain(t *testing.T) {
	b := setup(t)
	const headings, noEmail = "Name,Email\n", "Twin,\n" + "Twin,\nAlone,\n"
	for i, c := range []struct{ content, want string }{
		{headings + rows(0, 600) + noEmail, "603 created, 0 known, 0 left out, 603 customers"},
		{headings + rows(0, 600) + noEmail, "0 created, 603 known, 0 left out, 603 customers"},
		{
			"\uFEFF" + headings + rows(600, 605) + noEmail + rows(0, 605) + rows(605, 610),
			"10 created, 608 known, 0 left out, 613 customers",
		},
		{headings + noEmail + "Twin,\n", "0 created, 3 known, 1 left out, 613 customers"}, // a third one looks like the others
	} {
		assert.Equal(t, b.Imported(fmt.Sprint("import ", i), c.content), c.want, i)
	}
}

// TestVerdicts checks the verdict on each row before the confirmation, and which rows are imported.
func TestVerdicts(t *testing.T) {
	b := setup(t)
	for _, in := range []customer.Input{
		{Name: "Ada", Email: "ada@example.com"}, {Name: "Acme, Inc.", Email: "acme@example.com"},
		{Name: "Eve", Email: "eve@example.com", Texts: customer.Texts{Contact: "Annabella"}},
		{Name: "Shop 1", External: idempotency.External{Source: "CSV", ExternalID: "cus_1"}}, {Name: "Gone", Email: "gone@example.com"},
	} {
		d, err := in.Draft()
		must.OK(t, err)
		b.OK(customer.Upsert.Do(t.Context(), b.Store, b.Intent(in.Name), d))
	}
	b.Exec(`UPDATE customers SET archived_at = now() WHERE name = 'Gone'`)
	i := b.Uploaded("upload", "id,Name,Email,Contact,Country\n"+strings.Join([]string{
		"cus_9,New,new@example.com,,germany", "cus_1,Shop 1,,,", ",ADA,Ada@Example.com,,", ",Eve,eve@example.com,Byron,FR",
		",Acme Inc,,,", ",Acme Ltd,acme@example.com,,", ",Gone,gone@example.com,,", ",,who@example.com,,Narnia",
		"cus_9,New,new@example.com,,DE", "cus_9,Newer,,,", ",New,new@example.com,Other,", "cus_1,Shop 2,,,", "cus_7,a,,,,more",
		",,grace@example.com,Grace Hopper,USA",
	}, "\n"))
	assert.Equal(t, strings.Join(i.Columns, " "), "external_id name email contact country")
	want := []string{
		"2 new", "3 known", "4 known",
		"5 differs Country: saved is nothing, the file has FR. Contact: saved is Annabella, the file has Byron.",
		"6 alike Looks like Acme, Inc., which has the same name.", "7 alike Looks like Acme, Inc., which has the same email.",
		"8 differs Archived: saved is yes, the file has no.",
		"9 wrong Enter the customer's name. Choose a country by its two-letter code, like IE.",
		"10 known Line 2 has the same customer.", "11 differs Line 2 has the same ID with other details.",
		"12 differs Line 2 has the same email and name with other details.",
		"13 differs Line 3 has the same ID with other details.", "14 wrong This row has more fields than the first line.", "15 new",
	}
	got := b.Preview(i)
	for n, line := range want {
		assert.Equal(t, got[n], line)
	}
	done, err := b.Confirm(b.Store, "confirm", i)
	must.OK(t, err)
	must.OK(t, b.Work(t.Context(), b.Store, done.Value))
	assert.Equal(t, b.Outcome(i), "2 created, 3 known, 9 left out, 7 customers")
	assert.Equal(t, storetest.Value[string](b, `SELECT name || contact FROM customers WHERE country = 'US'`), "Grace Hopper")
	var left []string
	for _, line := range want {
		if n, rest, _ := strings.Cut(line, " "); !strings.HasPrefix(rest, "new") && !strings.HasPrefix(rest, "known") {
			_, problem, _ := strings.Cut(rest, " ")
			left = append(left, n+": "+problem)
		}
	}
	assert.Equal(t, strings.Join(b.Problems(i), "\n"), strings.Join(left, "\n"))

	i = b.Uploaded("again", "Name,Email\nAcme Inc,\nAcme Ltd,acme@example.com\n")
	i.TakesAlike = true
	done, err = b.Confirm(b.Store, "confirm again", i)
	must.OK(t, err)
	must.OK(t, b.Work(t.Context(), b.Store, done.Value))
	assert.Equal(t, b.Outcome(i), "2 created, 0 known, 0 left out, 9 customers")
}

// TestConfirmedInTwoTabs confirms an import 16 times at once, and runs the jobs at once, on two replicas.
func TestConfirmedInTwoTabs(t *testing.T) {
	b := setup(t)
	i := b.Uploaded("upload", "Name,Email\n"+rows(0, 700)+"Twin,\n"+"Twin,\n")
	stores := []*idempotency.Store{b.Store, b.Replica()}
	confirmed := make([]idempotency.Done[importing.Import], 16)
	for _, err := range storetest.Together(len(confirmed), func(n int) (err error) {
		confirmed[n], err = b.Confirm(stores[n%2], fmt.Sprint("tab ", n/4), i)
		return err
	}) {
		must.OK(t, err)
	}
	changed := 0
	for _, done := range confirmed {
		if done.Outcome == idempotency.Changed && !done.Replayed {
			changed++
		}
	}
	jobs := storetest.Value[int](b, `SELECT count(*) FROM river.river_job WHERE kind = 'import'`)
	assert.Thatf(t, changed == 1 && jobs == 1, "confirmed %d times, %d jobs", changed, jobs)
	for _, err := range storetest.Together(4, func(n int) error { return b.Work(context.Background(), stores[n%2], i) }) {
		must.OK(t, err)
	}
	assert.Equal(t, b.Outcome(i), "702 created, 0 known, 0 left out, 702 customers")
	intents := storetest.Value[int](b, `SELECT count(*) FROM intents WHERE operation = 'customer.upsert' AND actor = $1`,
		importingtest.Actor)
	assert.Equal(t, intents, 702, "intents")
}

// TestImportGoesOn kills the worker in the middle, several times, and stops and continues the import.
func TestImportGoesOn(t *testing.T) {
	b := setup(t)
	i := b.Confirmed("import", "Name\n"+strings.Repeat("Twin\n", 5)+strings.ReplaceAll(rows(0, 1200), ",", " "))
	act := func(key string, op idempotency.Operation[struct{}, importing.Import]) idempotency.Outcome {
		intent := b.Intent(key)
		intent.Record, intent.Actor = i.ID, importingtest.Actor
		done, err := op.Do(t.Context(), b.Store, intent, struct{}{})
		must.OK(t, err)
		return done.Outcome
	}
	for _, after := range []int32{1, 100, 600} {
		ctx, kill := context.WithCancel(t.Context())
		var attempts atomic.Int32
		killed := *b.Replica()
		killed.Observe = func(context.Context, idempotency.Attempt) {
			if attempts.Add(1) == after {
				kill()
			}
		}
		assert.Thatf(t, errors.Is(b.Work(ctx, &killed, i), importing.ErrAgain), "the job ended")
		kill()
	}
	before := b.Records()
	assert.Thatf(t, before > 600 && before < 1205, "%d customers", before)
	assert.Equal(t, act("stop", customerimport.Kind.Stop), idempotency.Changed)
	must.OK(t, b.Work(t.Context(), b.Store, i))
	assert.Equal(t, b.Records(), before, "customers of a stopped import")
	assert.Equal(t, act("stop again", customerimport.Kind.Stop), idempotency.Unchanged)
	assert.Equal(t, act("continue", customerimport.Kind.Continue), idempotency.Changed)
	b.Exec(`UPDATE intents SET result = NULL`)
	must.OK(t, b.Work(t.Context(), b.Replica(), i))
	assert.Equal(t, b.Outcome(i), "1205 created, 0 known, 0 left out, 1205 customers")
}

// TestOtherNamesOfCountries: the names that other products and German files have.
func TestOtherNamesOfCountries(t *testing.T) {
	b := setup(t)
	b.Imported("import", "Name,Country\nUSA,USA\nUK,UK\nDE,Deutschland\nAT,Österreich\nCH,Schweiz\nGB,Great Britain\n")
	got := storetest.Value[string](b, `SELECT string_agg(DISTINCT country, ' ' ORDER BY country) FROM customers`)
	assert.Equal(t, got, "AT CH DE GB US")
}

// TestImportOfOneWhoMayNot leaves out the rows of a user or token that lost its rights after it confirmed.
func TestImportOfOneWhoMayNot(t *testing.T) {
	b := setup(t)
	i := b.Confirmed("import", "Name\nAda\n")
	b.Exec(`UPDATE api_tokens SET revoked_at = now()`)
	must.OK(t, b.Work(t.Context(), b.Store, i))
	assert.Equal(t, b.Outcome(i), "0 created, 0 known, 1 left out, 0 customers")
	assert.Equal(t, strings.Join(b.Problems(i), ""), "2: token sync may no longer change customers.")
}

// TestFileExpires deletes the file with the problems of its rows, and ends the job.
func TestFileExpires(t *testing.T) {
	b := setup(t)
	i := b.Confirmed("import", "Name\n\"\nAda\u202e\"\n")
	must.OK(t, b.Work(t.Context(), b.Store, i))
	assert.Equal(t, len(b.Problems(i)), 1, "problems")
	must.OK(t, importing.Expire(t.Context(), b.Store.Pool, b.Tenant, i.CreatedAt.AddDate(0, 0, -1)))
	assert.Equal(t, len(b.Problems(i)), 1, "problems")
	must.OK(t, importing.Expire(t.Context(), b.Store.Pool, b.Tenant, i.CreatedAt.AddDate(0, 0, 1)))
	assert.Equal(t, len(b.Problems(i)), 0, "problems")
	must.OK(t, b.Work(t.Context(), b.Store, i))
}

// TestJobOfAnImport compares the job with one that River inserts.
func TestJobOfAnImport(t *testing.T) {
	b := setup(t)
	b.DB.IsOfRiver(t, importing.Job{Tenant: b.Tenant, Import: b.Confirmed("import", "Name\nAda\n").ID})
}

// TestColumnsAreRemembered: the next file with the same headings has the settings of the last confirmed import.
func TestColumnsAreRemembered(t *testing.T) {
	b := setup(t)
	first := b.Uploaded("first", "Name,Note\nAda,Countess\n")
	assert.Equal(t, strings.Join(first.Columns, ","), "name,")
	first.Columns, first.Source = []string{"name", "contact"}, "shop"
	assert.Equal(t, strings.Join(b.Uploaded("second", "Name,Note\nEve,\n").Columns, ","), "name,", "not confirmed yet")
	b.OK(b.Confirm(b.Store, "confirm", first))
	next := b.Uploaded("third", "Name;Note\nEve;\n")
	assert.Thatf(t, slices.Equal(next.Columns, first.Columns) && next.Source == "shop", "%+v", next.Settings)
	other := b.Uploaded("fourth", "Name,Notes\nEve,\n")
	assert.Equal(t, other.Source, importing.DefaultSource)
}

// TestGuess: the headings of exports of other products.
func TestGuess(t *testing.T) {
	t.Parallel()
	for headings, want := range map[string]string{
		"id,Description,Email,Name,Created (UTC),Card ID,Card Address Line1,Card Address City,Card Address Country,Business Vat ID"://
		"external_id,,email,name,,,address,address,country,tax_id",
		"*ContactName,AccountNumber,EmailAddress,FirstName,LastName,POAttentionTo,POAddressLine1,POCity,POCountry,SAAddressLine1"://
		"name,external_id,email,contact,contact,,address,address,country,",
		"Customer,Company,Email,Phone,Billing Street,Billing City,Terms": "name,,email,,address,address,payment_days",
		"client.name,client.number,client.vat_number,client.city,contact.email,contact.first_name,Balance"://
		"name,external_id,tax_id,address,email,contact,",
		"client_name,client_address_1,client_zip,client_country,client_email,client_vat_id": "name,address,address,country,email,tax_id",
		"name,email,address,country,tax_id,contact,reference,copies_to,created_at"://
		"name,email,address,country,tax_id,contact,reference,copies_to,",
		"Größe,": ",",
		"Customer full name,Company name,Full name,Bill address,Street Address,Ship address": "name,,contact,address,address,",
		"Full name,Email":                   "name,email",
		"Company name,First name,Last name": "name,contact,contact",
		"Number,ID Number":                  "external_id,",
		"Kundennummer,Firma,Vorname,Nachname,Straße,PLZ,Ort,Land,USt-IdNr.": "external_id,name,contact,contact,address,address,address," +
			"country,tax_id",
	} {
		assert.Equal(t, strings.Join(customerimport.Kind.Guess(strings.Split(headings, ",")), ","), want, headings)
	}
}

// TestRefusedFiles: the mistake names its line.
func TestRefusedFiles(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"Name\n":           "c.csv has no rows below its first line. The first line has the names of the columns.",
		"Name\nAda\n\"Eve": "c.csv, line 3: A field begins with a quotation mark that isn't closed, or has text after it.",
		"Name\nAda\x00":    "c.csv is of another type. Choose a file of the type text.",
		"PK\x03\x04":       "c.csv is a spreadsheet. Save it as CSV, and choose that file.",
		"\xff\xfeN\x00a":   "c.csv, line 1: This is no text. Save the table as CSV in UTF-8.",
		"%PDF-1.7":         "c.csv is of another type. Choose a file of the type text.",
		"a\n" + strings.Repeat("1\n", importing.MaxRows+1): "c.csv has more than 50,000 rows. Split it.",
		strings.Repeat(",", 200) + "a\n1":                  "c.csv has more than 200 columns. Leave some out.",
	} {
		_, err := customerimport.Kind.Draft(importing.Input{File: file.Input{Name: "c.csv", Content: []byte(content)}})
		wrong, ok := errors.AsType[*invalid.Error](err)
		assert.Thatf(t, ok && wrong.Fields[0].Message == want, "%.20q: %v", content, err)
	}
	_, err := customerimport.Kind.Draft(importing.Input{Encoding: "x", Separator: "y"})
	wrong, ok := errors.AsType[*invalid.Error](err)
	assert.Thatf(t, ok && len(wrong.Fields) == 3, "%v", err)
	for _, s := range []importing.Settings{
		{Source: "csv"}, {Columns: []string{}}, {Source: "", Columns: []string{"name"}},
		{Source: "csv", Columns: []string{"name", "email", "email"}}, {Source: "csv", Columns: []string{"name", "other"}},
	} {
		_, err := customerimport.Kind.Check(s)
		assert.Thatf(t, err != nil, "%+v is accepted", s)
	}
}
