package invoicepages_test

import (
	"net/http"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/site/sitetest"
)

// TestImportOnPages chooses the order of days, which the page asks for, and the question passes it to the import. An import of another kind
// isn't found.
func TestImportOnPages(t *testing.T) {
	b := sitetest.Setup(t)
	person := b.Person(b.Replica, b.Acme)
	const file = "Number,Name,Date,Description,Price,Qty\nINV-1,Ada,03/04/2026,Design,\"1.50\",2\nINV-1,Ada,03/04/2026,Hosting,20,1\n"
	upload := sitetest.Change(invoicecases.Imports().Command, "file", sitetest.FileValue("i.csv", file), "idempotency_key", "upload")
	page := person.Submit("/invoice-imports", upload).Want(t, http.StatusSeeOther).Location()
	b.Page(person.Get(page)).Says("Choose whether the day or the month comes first in 03/04/2026.")
	const columns = "columns=number,customer,issue_date,description,unit_price,quantity&source=shop"
	b.Page(person.Get(page+"?"+columns+"&dates=mdy")).Says("New (1)", "INV-1", "Ada, 23.00", "Month first")
	wrong := b.Page(person.Get(page + "/confirm?key=confirm&" + columns + "&dates=ymd"))
	b.Page(person.Press(wrong, "Import invoices").Want(t, http.StatusUnprocessableEntity)).Says("Choose the order of days.")
	question := b.Page(person.Get(page + "/confirm?key=confirm&" + columns + "&dates=mdy&decimals=point"))
	question.Says("New: 1 invoice.")
	person.Press(question, "Import invoices").Want(t, http.StatusSeeOther)
	assert.Equal(t, sitetest.Get[string](b, `SELECT kind || ' ' || date_order || ' ' || decimal_sign FROM imports`), "invoices mdy point")

	other := "/customer-imports" + page[len("/invoice-imports"):]
	person.Get(other).Want(t, http.StatusNotFound)
	person.Submit(other+"/stop", sitetest.Change(nil, "idempotency_key", "stop")).Want(t, http.StatusNotFound)
	assert.Equal(t, sitetest.Get[string](b, `SELECT state FROM imports`), "running")
}
