package invoiceroom

import (
	"strconv"
	"strings"

	"onlyonce/internal/invoice"
	"onlyonce/internal/value/date"
)

// age returns the number of days since an invoice was issued. The first one, number 0, is a year old, and the newest a day.
func (b books) age(n int) int { return 1 + 363*(b.invoices-1-n)/(b.invoices-1) }

// draft returns an invoice. Its content depends on its number only, and its dates on the day of the first start.
func (b books) draft(n int) (invoice.Draft, error) {
	issued := date.Today().AddDays(-b.age(n))
	in := invoice.Input{
		Customer: &b.Customers[(n*3+n/5)%len(b.Customers)], Currency: b.Business.Currency,
		IssueDate: issued.String(), DueDate: issued.AddDays(30 + 15*(n%2)).String(),
	}
	work, rate := b.work, b.Business.TaxRate
	if n%6 == 3 && len(b.abroad) > 0 {
		to := b.abroad[n/6%len(b.abroad)]
		in.Customer, in.Currency, work = &to.customer, to.currency, to.work
		in.DueDate = issued.AddDays(60).String()
	}
	if in.Customer.Country != b.Business.Country {
		rate = "0"
	}
	for i := range 1 + n%min(3, len(work)) {
		line := work[(n+i*2)%len(work)]
		line.TaxRate = rate
		if rate == "0" {
			line.Treatment = string(b.untaxed[in.Customer.Country])
		}
		in.Lines = append(in.Lines, line)
	}
	var notes []string
	switch n % 8 {
	case 2:
		notes = append(notes, "Your purchase order "+strconv.Itoa(4100+n*7)+". Thank you.")
	case 4:
		in.Source, in.ExternalID = "Timesheets", "sheet-"+strconv.Itoa(4100+n)
	case 5:
		notes = append(notes, "As agreed on the phone. Please mention the number of this invoice when you pay.")
	}
	in.Notes = strings.TrimSpace(strings.Join(notes, "\n"))
	return in.Draft()
}
