package customerpages_test

import (
	"log/slog"
	"net/http"
	"path"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/riverqueue/river"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer/customercases"
	"onlyonce/internal/customer/customerimport"
	"onlyonce/internal/importing"
	"onlyonce/internal/must"
	"onlyonce/internal/site/sitetest"
)

// TestImportOnPages chooses the fields of the columns, looks at the rows of a verdict, imports, downloads the rows that were left out in
// the format of the file, and takes the import back.
func TestImportOnPages(t *testing.T) {
	b := sitetest.Setup(t)
	person := b.Person(b.Replica, b.Acme)
	b.Prepared(b.Acme, "ada", customercases.Customers(), customercases.Customers().Command)
	file := "Kunde;Mail;Notiz\r\nM\xfcller;mueller@example.com;=1+1\r\nAda Lovelace;;\r\n;nobody@example.com;'=2\r\n"
	for n := range 60 {
		file += "Kunde " + strings.Repeat("x", n+1) + ";;\r\n"
	}
	upload := sitetest.Change(customercases.Imports().Command, "file", sitetest.FileValue("kunden.csv", file), "idempotency_key", "upload")
	uploaded := person.Submit("/customer-imports", upload)
	page := uploaded.Want(t, http.StatusSeeOther).Location()
	b.Page(person.Get(page)).Says("Windows-1252 (Latin-1), with semicolons", "Choose the column that has the name of the customer.")
	chosen := page + "?column=name&column=email&column=reference&source=Buchhaltung"
	shown := b.Page(person.Get(chosen)).Says("All (63)", "New (61)", "Looks like another (1)", "Can't be imported (1)", "Müller")
	assert.Thatf(t, !strings.Contains(shown.Text(), strings.Repeat("x", 60)), "the page has the second page too")
	b.Page(person.Get(chosen+"&page=2")).Says(strings.Repeat("x", 60), "Previous")
	b.Page(person.Get(chosen + "&show=alike")).Says("Looks like Ada Lovelace, which has the same name.")

	wrong := b.Page(person.Get(page + "/confirm?key=confirm&columns=name,name,&source=Buchhaltung"))
	b.Page(person.Press(wrong, "Import customers").Want(t, http.StatusUnprocessableEntity)).Says("Choose one column for “Name”.")
	question := b.Page(person.Get(page + "/confirm?key=confirm&columns=name,email,reference&source=Buchhaltung"))
	question.Says("New: 61 customers", "look like existing customers: 1 customer.", "be imported: 1 customer.")
	person.Press(question, "Import customers").Want(t, http.StatusSeeOther)
	const reloads = `<meta http-equiv="refresh" content="2">`
	for _, c := range [][2]string{{"0 of 63", "Stop"}, {"Stopped at 0 of 63", "Continue"}} { // a stopped one finishes a chunk
		shown := person.Get(page)
		assert.Thatf(t, strings.Contains(shown.Body, reloads), "the page doesn't load itself again: %s", shown.Body)
		person.Press(b.Page(shown).Says(c[0], "Buchhaltung"), c[1]).Want(t, http.StatusSeeOther)
	}
	w := importing.Worker{Store: b.Replica.Store, Log: slog.New(slog.DiscardHandler), Kinds: []*importing.Kind{customerimport.Kind}}
	must.OK(t, w.Work(t.Context(), &river.Job[importing.Job]{
		Args: importing.Job{Tenant: b.Acme.ID, Import: uuid.MustParse(path.Base(page))},
	}))
	finished := person.Get(page)
	assert.Thatf(t, !strings.Contains(finished.Body, reloads), "the page of a finished import loads itself again")
	b.Page(finished).Says("Finished", "Left out", "All customers").LeadsTo(page + "/problems")
	want := "Kunde;Mail;Notiz;Problem\r\nAda Lovelace;;;Looks like Ada Lovelace, which has the same name.\r\n" +
		";nobody@example.com;'=2;Enter the customer's name.\r\n"
	problems := person.Get(page + "/problems")
	assert.Equal(t, problems.Body, want)
	assert.Thatf(t, strings.Contains(problems.Header.Get("Content-Disposition"), "kunden-problems.csv"), "%v", problems)
	assert.Equal(t, sitetest.Get[int](b, `SELECT count(*) FROM customers WHERE source = 'Buchhaltung'`), 61, "imported")
	b.Page(person.Get("/customers?q=Müller")).Says("mueller@example.com")

	asked := b.Page(person.Get(page + "/reverse?key=back")).Says("Created: 61")
	person.Press(asked, "Take back").Want(t, http.StatusSeeOther)
	b.Page(person.Get(page)).Says("Taken back", "upload the corrected file")
	gone := sitetest.Get[string](b, `SELECT id::text FROM customers WHERE taken_back LIMIT 1`)
	b.Page(person.Get("/customers/" + gone)).Says("Its import was taken back, so its details were erased.")
}
