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
	// EUSales are the first rows of the EU sales list, and EUSalesHref is the CSV file with all. EUSalesLeftOut reports whether there are
	// more.
	EUSales        []EUSale
	EUSalesHref    string
	EUSalesLeftOut bool
	Mistaken       []EUSale // supplies with the treatment of EU sales to customers at home or outside of the EU, not in the list
}

// EUSale is a row of the EU sales list.
type EUSale struct {
	Country, VATNumber string // "" if the invoices have none
	Customer           string
	Kind               string // "Goods"
	Net                string // with the currency
	Href               string // the customer's invoices
}

// TaxCurrency has the sums of a currency.
type TaxCurrency struct {
	Code   string // ISO 4217
	Rows   []TaxRow
	Totals []TaxRow // of all rates; none if there is only one
}

// TaxRow is the sum of a kind of documents with a rate. Amounts are for people.
type TaxRow struct {
	Rate, Kind      string // "23%", "Invoices"
	Net, Tax, Gross string
	Result          bool // whether it sums up the rows above
}
