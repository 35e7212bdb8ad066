package invoiceviews

import "onlyonce/templates"

// InvoicesField is the name of the field with the ids of invoices that are no duplicates.
const InvoicesField = "invoices"

// Duplicates is a page of groups of similar invoices.
type Duplicates struct {
	templates.Pager

	Groups []Group
}

// Group is a group of similar invoices.
type Group struct {
	Why       string // "Ada Lovelace: same lines and total, 2 days apart"
	More      string // the number of further ones, if they are not all shown; or ""
	Invoices  []InvoiceRow
	Voids     []templates.Action // each voids an invoice as a duplicate
	ApartHref string
}
