package invoiceviews

import "onlyonce/templates"

// TaxSummary is the tax of a period.
type TaxSummary struct {
	Title    string // the period
	From, To string // as typed
	Problems []string
	Periods  []templates.NavItem // to choose
	// Currencies has the sums by currency; none without invoices and credit notes in the period.
	Currencies []TaxCurrency
	CSVHref    string
	Closed     string // a sentence about the last closed day, or ""
	CloseHref  string // the form that closes the books through the period; "" if there's none
}

// TaxCurrency has the sums of a currency.
type TaxCurrency struct {
	Code string // ISO 4217
	Rows []TaxRow
}

// TaxRow is the sum of a kind of documents with a rate. Amounts are for people.
type TaxRow struct {
	Rate, Kind      string // "23%", "Invoices"
	Net, Tax, Gross string
	Result          bool // whether it sums up the rows above
}
