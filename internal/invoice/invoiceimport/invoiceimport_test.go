package invoiceimport_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/importing"
	"onlyonce/internal/importing/importingtest"
	"onlyonce/internal/invoice/invoiceimport"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

func setup(t *testing.T) *importingtest.Bundle {
	t.Helper()
	b := importingtest.Setup(t, invoiceimport.Kind)
	b.Exec(`UPDATE settings SET currency = 'EUR'`)
	return b
}

// xero begins a file like an export of Xero.
const xero = "ContactName,EmailAddress,InvoiceNumber,Reference,InvoiceDate,DueDate,Total,InvoiceAmountPaid,InvoiceAmountDue," +
	"Description,Quantity,UnitAmount,TaxType,Currency,Type,Status\n"

// row returns a row of such a file.
func row(number, customer, total, paid, open, line, status string) string {
	email := ""
	if customer != "" {
		email = strings.ToLower(customer) + "@example.com"
	}
	return fmt.Sprintf("%s,%s,%s,PO 7,25/11/2026,25/12/2026,%s,%s,%s,%s,%s,Sales invoice,%s\n",
		customer, email, number, total, paid, open, line, "EUR", status)
}

const design = "Design,2,50.00,20% (VAT on Income)"

// rows returns invoices of 120.00 each, of which every third is paid in part, for ten customers.
func rows(from, to int) string {
	var text strings.Builder
	for n := from; n < to; n++ {
		paid, open := "0.00", "120.00"
		if n%3 == 0 {
			paid, open = "20.00", "100.00"
		}
		for _, line := range []string{"Design,1,50.00,20%", "Hosting,1,50.00,20%"} {
			text.WriteString(row(fmt.Sprint("INV-", n), fmt.Sprint("Shop", n%10), "120.00", paid, open, line, "Awaiting Payment"))
		}
	}
	return text.String()
}

// books returns the sums of the invoices and payments: "billed 240.00, paid 20.00, open 220.00, 2 customers, 0 mails".
func books(b *importingtest.Bundle) string {
	b.Helper()
	return storetest.Value[string](b, `
		SELECT format('billed %s, paid %s, open %s, %s payments, %s customers, %s mails',
			(SELECT COALESCE(sum(total), 0) FROM invoices WHERE state <> 'draft'), (SELECT COALESCE(sum(amount), 0) FROM payments),
			(SELECT COALESCE(sum(open_amount), 0) FROM invoices WHERE state IN ('issued', 'partially_paid')),
			(SELECT count(*) FROM payments), (SELECT count(*) FROM customers), (SELECT count(*) FROM mails))`)
}

// TestSameInvoicesAgain imports a file, then the same one, and then one with ten more invoices in other places: exactly those are created.
func TestSameInvoicesAgain(t *testing.T) {
	b := setup(t)
	const first = "billed 360000, paid 20000, open 340000, 10 payments, 10 customers, 0 mails"
	for i, c := range []struct{ content, want, books string }{
		{xero + rows(0, 30), "30 created, 0 known, 0 left out, 30 invoices", first},
		{xero + rows(0, 30), "0 created, 30 known, 0 left out, 30 invoices", first},
		{
			xero + rows(30, 35) + rows(0, 30) + rows(35, 40), "10 created, 30 known, 0 left out, 40 invoices",
			"billed 480000, paid 28000, open 452000, 14 payments, 10 customers, 0 mails",
		},
	} {
		assert.Equal(t, b.Imported(fmt.Sprint("import ", i), c.content), c.want, i)
		assert.Equal(t, books(b), c.books, i)
	}
}

// TestVerdicts checks the verdict on each invoice before the confirmation, and which are imported.
func TestVerdicts(t *testing.T) {
	b := setup(t)
	b.Imported("before", xero+row("INV-1", "Ada", "120.00", "", "", design, "")+row("INV-2", "Ada", "120.00", "", "", design, "Draft")+
		row("INV-3", "Ada", "120.00", "0.00", "120.00", design, "Sent"))
	b.Exec(`INSERT INTO closings (tenant_id, id, through) VALUES ($1, new_id(), '2026-10-31')`, b.Tenant)
	i := b.Uploaded("upload", xero+strings.Join([]string{
		row("INV-9", "Ada", "120.00", "120.00", "0.00", design, "Paid"), // 2
		row("inv-1", "Ada", "120.00", "", "", design, ""),
		row("INV-2", "Ada", "120.00", "", "", design, "Sent"),
		row("INV-3", "Ada", "60.00", "60.00", "0.00", "Design,1,50.00,20%", "Paid"),
		row("INV-4", "Ada", "130.00", "", "", design, ""), // 6
		row("INV-5", "Ada", "120.00", "50.00", "60.00", design, ""),
		row("INV-6", "Ada", "", "", "", design, "Voided"),
		row("INV-7", "Ada", "", "", "", design, "DRAFT"),
		row("INV-8", "Ada", "240.00", "", "", design, ""), // 10
		strings.Replace(row("INV-8", "Ada", "240.00", "", "", design, ""), "25/12", "26/12", 1),
		row("INV-10", "Ada", "240.00", "", "", design, ""),
		row("INV-10", "Ada", "240.00", "", "", design, ""),
		row("INV-11", "Ada", "", "", "", "Design,2,abc,20%", ""), // 14
		row("INV-12", "Ada", "", "", "", "Design,2,50.00,Exempt Income", ""),
		strings.Replace(row("INV-13", "Ada", "", "", "", design, ""), "25/11/2026", "25/10/2026", 1),
		row("INV-14", "Ada", "100.00", "", "", "Design,2,50.00,No VAT", ""), // 17
		row("INV-10", "Ada", "240.00", "", "", design, ""),
		row("INV-9", "Eve", "120.00", "", "", design, ""),
		strings.Replace(row("INV-15", "Ada", "", "", "", design, ""), "Sales invoice", "Sales credit note", 1), // 20
		strings.Replace(row("", "Ada", "120.00", "", "", design, ""), design, ",,,", 1),
		strings.Replace(row("INV-16", "Ada", "100.00", "", "", "Design,2,50.00,0%", ""), "EUR", "XYZ", 1),
		row("INV-17", "Ada", "90.00", "", "", "Design,1,100.00,0", ""),
		row("INV-18", "Ada", "90.00", "", "", "Design,1,100.00,0", ""),
		row("INV-18", "Ada", "90.00", "", "", "Discount,1,-10.00,0", ""),
		row("INV-19", "Ada", "120.00", "20.00", "120.00", design, "Sent"), // 26
		row("INV-20", "Ada", "120.00", "20.00", "", design, "Paid"),
		row("INV-21", "Ada", "240.00", "", "", design, ""), // 28
		row("", "", "", "", "", design, ""),
		row("INV-22", "Ada", "", "", "", design, ""), // 30
		row("", "Eve", "", "", "", design, ""),
		row("INV-23", "Ada", "", "", "", design, ""), // 32
		row("INV-23", "Eve", "", "", "", design, ""),
		row("INV-24", "Ada", "", "", "", design, ""), // 34
		row("INV-25", "", "", "", "", design, ""),
		row("INV-24", "", "", "", "", design, ""),
		row("INV-25", "Ada", "", "", "", design, ""),
		row("INV-26", "Ada", "", "", "", design, "Paused"), // 38
		row("INV-27", "Ada", "120.00", "", "", design, "partially_paid"),
		row("INV-28", "Ada", "120.00", "20.00", "", design, "Partially Paid"),
		row("INV-29", "Ada", "", "", "", design, "Written-Off"),
		strings.Replace(row("INV-30", "Ada", "", "", "", design, ""), "Sales invoice", "Estimate", 1), // 42
		row("INV-31", "Ada", "", "", "", design, "Entwurf"),
		row("INV-32", "Ada", "", "", "", design, "Deposited"),
	}, ""))
	assert.Equal(t, strings.Join(i.Columns, " "), "customer email number reference issue_date due_date total paid open "+
		"description quantity unit_price tax_rate currency type status")
	want := []string{
		"2 new",
		"3 known",
		"4 differs Status: saved is draft, the file has issued.",
		"5 differs Total: saved is 120.00 EUR, the file has 60.00 EUR. Paid: saved is 0.00, the file has 60.00.",
		"6 wrong The total in the file is 130.00 EUR, and its lines make 120.00 EUR.",
		"7 wrong The amounts in the file don't fit together: 120.00 EUR in total, 50.00 paid, 60.00 open.",
		"8 wrong The status is “Voided”, so the invoice isn't imported.",
		"9 new",
		"10 wrong Due date: line 11 has 2026-12-26, and line 10 of the same invoice has 2026-12-25.",
		"12 wrong The rows of this invoice are in several places of the file. Sort it, so that they are one below the other.",
		"14 wrong “abc” isn't a number with a decimal point, like 1,234.50, for Unit price.",
		"15 wrong Enter a tax rate from 0 to 100 percent, like 23. Enter 0 for no tax.",
		"16 wrong The books are closed through 31 Oct 2026. Change the dates, or reopen the books.",
		"17 new",
		"18 wrong The rows of this invoice are in several places of the file. Sort it, so that they are one below the other.",
		"19 wrong Line 2 has the same number for another customer.",
		"20 wrong Credit notes aren't imported.",
		"21 wrong The invoice has no number.",
		"22 wrong Choose a currency by its three-letter code, like EUR.",
		"23 wrong The total in the file is 90.00 EUR, and its lines make 100.00 EUR.",
		"24 new",
		"26 new",
		"27 wrong The status is “Paid”, and the amounts leave 100.00 EUR open. Correct one of them in the file.",
		"28 new",
		"30 wrong Customer: line 31 has Eve, and line 30 of the same invoice has Ada.",
		"32 wrong Customer: line 33 has Eve, and line 32 of the same invoice has Ada.",
		"34 wrong The rows of this invoice are in several places of the file. Sort it, so that they are one below the other.",
		"35 wrong The rows of this invoice are in several places of the file. Sort it, so that they are one below the other.",
		"36 wrong The rows of this invoice are in several places of the file. Sort it, so that they are one below the other.",
		"37 wrong The rows of this invoice are in several places of the file. Sort it, so that they are one below the other.",
		"38 wrong The status “Paused” isn't known. Write open, paid or draft instead, or choose no column for the status.",
		"39 wrong The status is “partially_paid”, and the file doesn't have its amounts. Choose the columns of those paid and due.",
		"40 new",
		"41 wrong The status is “Written-Off”, so the invoice isn't imported.",
		"42 wrong The document is of the type “Estimate”, so it isn't imported.",
		"43 new",
		"44 new",
	}
	got := b.Preview(i)
	assert.Equal(t, strings.Join(got, "\n"), strings.Join(want, "\n"))
	done, err := b.Confirm(b.Store, "confirm", i)
	must.OK(t, err)
	must.OK(t, b.Work(t.Context(), b.Store, done.Value))
	assert.Equal(t, b.Outcome(i), "9 created, 1 known, 27 left out, 12 invoices")
	var left strings.Builder
	must.OK(t, b.Kind.WriteProblems(t.Context(), b.Store.Pool, b.Tenant, i, &left))
	assert.Equal(t, strings.Count(left.String(), "Due date: line 11 has"), 2, "rows of an invoice that was left out")
	assert.Equal(t, books(b), "billed 115000, paid 28000, open 87000, 4 payments, 1 customers, 0 mails")
	paid := storetest.Value[string](b, `
		SELECT format('%s %s %s, %s, %s', i.number, i.issue_date, i.notes, p.paid_on, p.external_id)
		FROM payments p JOIN invoices i ON i.id = p.invoice_id WHERE i.number = 'INV-9'`)
	assert.Equal(t, paid, "INV-9 2026-11-25 Reference: PO 7, 2026-11-25, imported with INV-9 of 2026-11-25")
}

// TestOrderIsChosen: if the days of a file can be read in two ways, none is taken until one is chosen. The next file with the same
// headings has it.
func TestOrderIsChosen(t *testing.T) {
	b := setup(t)
	file := xero + strings.NewReplacer("25/11", "03/04", "25/12", "05/06").Replace(row("INV-1", "Ada", "120.00", "", "", design, ""))
	i := b.Uploaded("upload", file)
	settings, found, err := b.Kind.Detect(t.Context(), b.Store.Pool, b.Tenant, i)
	must.OK(t, err)
	assert.Equal(t, fmt.Sprint(found.Days, settings.DateOrder, found.Numbers, settings.DecimalSign), "03/04/2026120.00point")
	assert.Equal(t, strings.Join(b.Preview(i), ""), "2 wrong “03/04/2026” isn't a day in a known order, for Issue date.")
	i.DateOrder = importing.MonthFirst
	assert.Equal(t, strings.Join(b.Preview(i), ""), "2 new")
	b.OK(b.Confirm(b.Store, "confirm", i))
	must.OK(t, b.Work(t.Context(), b.Store, i))
	assert.Equal(t, storetest.Value[string](b, `SELECT issue_date || ' ' || due_date FROM invoices`), "2026-03-04 2026-05-06")
	assert.Equal(t, b.Uploaded("next", file).DateOrder, importing.MonthFirst)

	i = b.Uploaded("detected", xero+rows(0, 1)+strings.Replace(row("INV-2", "Ada", "", "", "", design, ""), "25/11", "03/04", 1))
	i.DateOrder = ""
	b.OK(b.Confirm(b.Store, "confirm detected", i))
	must.OK(t, b.Work(t.Context(), b.Store, i))
	assert.Equal(t, strings.Join(b.Problems(i), ""),
		"2: “25/11/2026” isn't a day like 12/31/2026 or 2026-12-31, for Issue date."+
			"4: “25/12/2026” isn't a day like 12/31/2026 or 2026-12-31, for Due date.", "the remembered order counts")
}

// TestCaution checks the sentence about overdue invoices that a plan would remind of.
func TestCaution(t *testing.T) {
	b := setup(t)
	overdue := strings.ReplaceAll(row("INV-1", "Ada", "120.00", "20.00", "100.00", design, ""), "2026", "2025")
	without := strings.NewReplacer("INV-1", "INV-2", "25/12/2025", "").Replace(overdue)
	i := b.Uploaded("upload", xero+overdue+without+row("INV-3", "Ada", "", "", "", design, "Draft")+
		strings.ReplaceAll(row("INV-4", "Ada", "120.00", "120.00", "0.00", design, ""), "2026", "2025"))
	marked := 0
	must.OK(t, b.Kind.Preview(t.Context(), b.Store.Pool, b.Tenant, i, func(e *importing.Entry) error {
		if e.Marked {
			marked++
		}
		return nil
	}))
	says := func() string {
		text, err := b.Kind.Caution(t.Context(), b.Store.Pool, b.Tenant, marked)
		must.OK(t, err)
		return text
	}
	assert.Equal(t, says(), "", "without a plan")
	b.Exec(`INSERT INTO reminder_plans (tenant_id, id, first_after) VALUES ($1, new_id(), 7)`, b.Tenant)
	assert.Thatf(t, strings.HasPrefix(says(), "Overdue and new: 2. "), "%s", says())
}

// TestCustomers: the ID of a customer in place of the name finds one and creates none. The preview names new customers.
func TestCustomers(t *testing.T) {
	b := setup(t)
	b.Exec(`
		INSERT INTO customers (tenant_id, id, name, source, external_id, external_digest)
		VALUES ($1, new_id(), 'Ada', 'csv', 'cus_1aB', sha256(''))`, b.Tenant)
	i := b.Uploaded("upload", "Number,Customer,Date,Total\nR-1,cus_1aB,2026-11-01,10\nR-2,cus_2,2026-11-01,10\nR-3,ada,2026-11-01,10\n"+
		"R-4,Eve,2026-11-01,10\n")
	var got []string
	must.OK(t, b.Kind.Preview(t.Context(), b.Store.Pool, b.Tenant, i, func(e *importing.Entry) error {
		got = append(got, e.Name+" "+e.Detail+": "+string(e.Verdict)+" "+e.Problem)
		return nil
	}))
	assert.Equal(t, strings.Join(got, "\n"), "R-1 cus_1aB, 10.00 EUR: new \nR-2 cus_2, 10.00 EUR: wrong No customer has the ID cus_2. "+
		"Import the customers first, with the same source, or choose the column of their names.\n"+
		"R-3 ada, 10.00 EUR: new \nR-4 Eve, 10.00 EUR, new customer: new ")
	b.OK(b.Confirm(b.Store, "confirm", i))
	must.OK(t, b.Work(t.Context(), b.Store, i))
	assert.Equal(t, books(b), "billed 3000, paid 0, open 3000, 0 payments, 2 customers, 0 mails")
}

// TestOtherCustomers asks about an ID whose customer has another name, as in the files of two systems.
func TestOtherCustomers(t *testing.T) {
	b := setup(t)
	b.Exec(`
		INSERT INTO customers (tenant_id, id, name, source, external_id, external_digest)
		VALUES ($1, new_id(), 'Ada', 'csv', '1001', sha256(''))`, b.Tenant)
	i := b.Uploaded("upload", "Number,Customer Name,Customer ID,Date,Total\nR-1,ADA,1001,2026-11-01,10\nR-2,Eve,1001,2026-11-01,10\n"+
		"R-3,Eve,1001,2026-11-01,100.00 USD\nR-4,Eve,1001,2026-11-01,100.00 CR\n")
	assert.Equal(t, strings.Join(b.Preview(i), "\n"), "2 new\n3 alike The customer with this ID is Ada, and the file has Eve.\n"+
		"4 wrong “100.00 USD” isn't an amount of EUR, the currency of your business. Add a column Currency.\n"+
		"5 wrong “100.00 CR” isn't a number with a decimal point, like 1,234.50, for Total.")
}

// TestBalances imports open amounts without lines, in the formats of other countries.
func TestBalances(t *testing.T) {
	b := setup(t)
	b.Exec(`
		INSERT INTO customers (tenant_id, id, name)
		VALUES ($1, new_id(), 'Müller'), ($1, new_id(), 'Twin'), ($1, new_id(), 'TWIN')`, b.Tenant)
	i := b.Confirmed("balances", "id;Number;Customer Name;Date (UTC);Due Date (UTC);Total;Amount Due;"+
		"Currency;Amount Paid;Status;Description\n"+
		"in_1;R-1;MÜLLER;2026-03-04 10:12;31.03.2026;1.234,50 €;234,50;eur;1000;open\n"+
		"in_2;R-2;Twin;4.3.2026;;1000;1000;usd;;\nin_3;R-3;Ada;04.03.2026;;100;0,00;;;\n"+
		"in_4;R-4;Ada;04.03.2026;;900;900;;900;Paid\nin_5;R-5;Ada;04.03.2026;;1.240;1.240;;240;open\n"+
		"in_6;R-6;Ada;04.03.2026;;100;60;;50;open\nin_7;R-7;Ada;04.03.2026;;100;0;;150;open\n"+
		"in_8;R-8;Ada;04.03.2026;;900;500;;400;paid\nin_9;R-9;Ada;04.03.2026;;900;900;;;paid\n"+
		"in_10;R-10;Ada;04.03.2026;;100;100;;150;\nin_11;R-11;Ada;04.03.2026;;;-5,00;;;\nin_12;R-12;Ada;04.03.2026;;;;;;\n"+
		"in_13;R-13;Ada;04.03.2026;;$50,00;;;;\nin_14;R-14;Ada;04.03.2026;;50;0;;£50;\nin_15;;Ada;04.03.2026;;50;;;;Plan\n"+
		"in_16;R-16;Ada;04.03.2026;;$50;;usd;;;Plan\n")
	must.OK(t, b.Work(t.Context(), b.Store, i))
	assert.Equal(t, strings.Join(b.Problems(i), "\n"), strings.Join([]string{
		"4: Nothing is open on this invoice.",
		"5: Nothing is open on this invoice.",
		"7: The amounts in the file don't fit together: 100.00 EUR in total, 50.00 paid, 60.00 open.",
		"8: The amounts in the file don't fit together: 100.00 EUR in total, 150.00 paid, 0.00 open.",
		"9: The status is “paid”, and the amounts leave 500.00 EUR open. Correct one of them in the file.",
		"10: Nothing is open on this invoice.",
		"11: The amounts in the file don't fit together: 100.00 EUR in total, 150.00 paid, −50.00 open.",
		"12: -5.00 is a credit of the customer, which isn't imported. Record it as a receipt or a credit note.",
		"13: The invoice has no total.",
		"14: “$50,00” isn't an amount of EUR, the currency of your business. Add a column Currency.",
		"15: “£50” isn't an amount of EUR, the currency of your business. Add a column Currency.",
		"16: The invoice has no number.",
	}, "\n"))
	got := storetest.Value[string](b, `
		SELECT string_agg(format('%s %s %s %s %s: %s %s %s%s', i.number, i.issue_date, i.total, i.currency, i.external_id, l.description,
			l.tax_treatment, c.name, ' ' || NULLIF(i.notes, '')), E'\n' ORDER BY i.external_id)
		FROM invoices i JOIN invoice_lines l ON l.invoice_id = i.id JOIN customers c ON c.id = i.customer_id`)
	assert.Equal(t, got, "R-1 2026-03-04 23450 EUR in_1: Balance brought forward outside_scope Müller\n"+
		"R-16 2026-03-04 5000 USD in_16: Balance brought forward outside_scope Ada Plan\n"+
		"R-2 2026-03-04 100000 USD in_2: Balance brought forward outside_scope Twin\n"+
		"R-5 2026-03-04 100000 EUR in_5: Balance brought forward outside_scope Ada")
	assert.Equal(t, books(b), "billed 228450, paid 0, open 228450, 0 payments, 5 customers, 0 mails")
}

// TestLines: lines have discounts in percent, and tax rates by their amounts if the text has no number.
func TestLines(t *testing.T) {
	b := setup(t)
	i := b.Uploaded("upload", strings.Join([]string{
		"Number,Customer,Date,Description,Quantity,UnitAmount,Discount,TaxType,LineAmount,TaxAmount,Total",
		"R-2,Ada,2026-11-01,Design,2,50.00,10.00,20%,90.00,18.00,108.00",
		"R-3,Ada,2026-11-01,Design,2,50.00,12.5 %,GST on Income,87.50,8.75,96.25",
		"R-4,Ada,2026-11-01,Design,1,33.33,,TVA,33.33,1.83,35.16", // 5.5 %
		"R-5,Ada,2026-11-01,Design,1,100.00,,GST on Income,100.00,9.37,109.37",
		"R-6,Ada,2026-11-01,Design,1,100.00,,GST on Income,,10.00,110.00",
		"R-7,Ada,2026-11-01,Design,1,100.00,some,20%,,,",
		"R-8,Ada,2026-11-01,Design,1,100.00,,GST Free Income,100.00,0.00,100.00",
		"R-9,Ada,2026-11-01,Design,1,100.00,,,100.00,10.00,110.00",
		",,,Less,1,-50.00,,GST on Income,-50.00,-5.00,",
		"R-10,Ada,2026-11-01,Design,1,100.00,,0.2,,,",
	}, "\n"))
	assert.Equal(t, strings.Join(b.Preview(i), "\n"), "2 new\n3 new\n4 new\n"+
		"5 wrong A tax of 9.37 on the net amount 100.00 is no rate such as 20 or 5.5 percent. Write the tax rate as a number.\n"+
		"6 wrong A tax of 10.00 on the net amount (none) is no rate such as 20 or 5.5 percent. Write the tax rate as a number.\n"+
		"7 wrong Enter a discount like 10% or 25.00.\n8 new\n"+
		"9 wrong The total in the file is 110.00 EUR, and its lines make 55.00 EUR.\n"+
		"11 wrong The tax rate 0.2 is less than one percent. Write 20 for 20 percent.")
	b.OK(b.Confirm(b.Store, "confirm", i))
	must.OK(t, b.Work(t.Context(), b.Store, i))
	got := storetest.Value[string](b, `
		SELECT string_agg(format('%s %s off %s tax %s', i.number, i.total, l.discount, l.tax_rate::double precision), E'\n'
			ORDER BY i.number)
		FROM invoices i JOIN invoice_lines l ON l.invoice_id = i.id`)
	assert.Equal(t, got, "R-2 10800 off 1000 tax 20\nR-3 9625 off 1250 tax 10\nR-4 3516 off 0 tax 5.5\nR-8 10000 off 0 tax 0")
}

// TestGuess: the headings of exports of other products.
func TestGuess(t *testing.T) {
	t.Parallel()
	for headings, want := range map[string]string{
		"id,Amount Due,Amount Paid,Currency,Customer,Date (UTC),Due Date (UTC),Number,Total,Customer Name,Customer Email,Status"://
		"external_id,open,paid,currency,,issue_date,due_date,number,total,customer,email,status",
		"*ContactName,EmailAddress,*InvoiceNumber,Reference,*InvoiceDate,*DueDate,*Description,*Quantity,*UnitAmount,*TaxType"://
		"customer,email,number,reference,issue_date,due_date,description,quantity,unit_price,tax_rate",
		"*UnitAmount,Discount,LineAmount,TaxAmount": "unit_price,discount,net_amount,tax_amount",
		"InvoiceNo,Customer,InvoiceDate,DueDate,Terms,Memo,Item(Product),ItemDescription,ItemQuantity,ItemRate,ItemAmount,Currency"://
		"number,customer,issue_date,due_date,,note,,description,quantity,unit_price,net_amount,currency",
		"Invoice Number,Invoice Amount,Invoice Balance,Invoice Paid to Date,Invoice PO Number,Invoice Date,Client Name,Item Cost"://
		"number,total,open,paid,reference,issue_date,customer,unit_price",
		"Date,Transaction type,No.,Name,Memo/Description,Qty,Rate,Amount,Balance"://
		"issue_date,type,number,customer,description,quantity,unit_price,total,open",
		"Kunde,Rechnungsnummer,Rechnungsdatum,Fällig am,Währung,Gesamtbetrag,Bezahlt,Offener Betrag"://
		"customer,number,issue_date,due_date,currency,total,paid,open",
		"Menge,Einzelpreis,Beschreibung,Steuersatz": "quantity,unit_price,description,tax_rate",
		"Fälligkeitsdatum,Customer,Description,Amount Due"://
		"due_date,customer,description,open",
	} {
		assert.Equal(t, strings.Join(invoiceimport.Kind.Guess(strings.Split(headings, ",")), ","), want)
	}
}

// TestInvoicesInTwoTabs confirms an import 16 times at once, and runs the jobs at once, on two replicas.
func TestInvoicesInTwoTabs(t *testing.T) {
	b := setup(t)
	i := b.Uploaded("upload", xero+rows(0, 300))
	stores := []*idempotency.Store{b.Store, b.Replica()}
	for _, err := range storetest.Together(16, func(n int) error {
		_, err := b.Confirm(stores[n%2], fmt.Sprint("tab ", n/4), i)
		return err
	}) {
		must.OK(t, err)
	}
	assert.Equal(t, storetest.Value[int](b, `SELECT count(*) FROM river.river_job WHERE kind = 'import'`), 1, "jobs")
	for _, err := range storetest.Together(4, func(n int) error { return b.Work(context.Background(), stores[n%2], i) }) {
		must.OK(t, err)
	}
	assert.Equal(t, b.Outcome(i), "300 created, 0 known, 0 left out, 300 invoices")
	assert.Equal(t, books(b), "billed 3600000, paid 200000, open 3400000, 100 payments, 10 customers, 0 mails")
}

// TestInvoicesGoOn kills the worker in the middle, also between the intents of an invoice.
func TestInvoicesGoOn(t *testing.T) {
	b := setup(t)
	i := b.Confirmed("import", xero+rows(0, 300))
	for _, after := range []int32{1, 2, 30, 31, 32, 200} {
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
	b.Exec(`UPDATE intents SET result = NULL`)
	b.Exec(`UPDATE customers SET name = 'Renamed' WHERE name = 'Shop1'`)
	must.OK(t, b.Work(t.Context(), b.Store, i))
	assert.Equal(t, b.Outcome(i), "300 created, 0 known, 0 left out, 300 invoices")
	assert.Equal(t, books(b), "billed 3600000, paid 200000, open 3400000, 100 payments, 10 customers, 0 mails")
}
