package invoiceviews

import "onlyonce/templates"

// Duplicates is a page of groups of invoices that look alike.
type Duplicates struct {
	templates.Pager

	Groups []Group
}

// Group is some invoices that look alike.
type Group struct {
	Why       string // "Ada Lovelace: same lines and total, 2 days apart"
	More      string // how many there are besides, if they are not all shown; or ""
	Invoices  []InvoiceRow
	Voids     []templates.Action // each voids one of them as a duplicate of another
	ApartHref string
}
