package invoiceviews

import "onlyonce/templates"

// CurrencyField is the parameter for the currency of a statement.
const CurrencyField = "currency"

// Statement is a page of the statement of account of a customer. Amounts are for people.
type Statement struct {
	Customer   templates.Link
	Href       string // of the statement, without a period
	From, To   string // as typed
	Currency   string // as typed; "" without entries
	Problems   []string
	Periods    []templates.NavItem // to choose
	Currencies []templates.NavItem // to choose; none if there is one
	Balances   []templates.Fact    // before and after the period
	Rows       []StatementRow      // the earliest first
	Pager      templates.Pager
	CSVHref    string
	PDFHref    string
}

// StatementRow is an entry.
type StatementRow struct {
	Date, Kind, Href string // "Payment", and the page of its record
	Number, Due      string // "" for none
	Reference        string // "" for none
	Amount, Balance  string // without the currency; "−" before an amount if the customer owes less
}
