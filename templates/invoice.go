package templates

// Invoice is one invoice as its page shows it. Amounts without a currency are
// plain, "1,234.50"; the page says the currency once, beside the total.
type Invoice struct {
	Number string
	Status string // "draft", "issued", "paid" or "void"
	// Issuer is the business that bills.
	Issuer        string
	CustomerName  string
	CustomerEmail string
	CustomerHref  string
	IssueDate     string
	DueDate       string
	Currency      string // ISO 4217 code
	Lines         []InvoiceLine
	Subtotal      string
	Taxes         []TaxLine
	Total         string
	Notes         string
	// CopyHref opens a new form filled like this invoice.
	CopyHref string
}

// InvoiceLine is one line of an invoice.
type InvoiceLine struct {
	Description string
	Quantity    string
	UnitPrice   string
	TaxRate     string // "23%"
	Amount      string // rounded net
}

// TaxLine is the tax of all lines of one rate.
type TaxLine struct {
	Rate   string // "23%"
	Net    string // what is taxed
	Amount string // the tax
}
