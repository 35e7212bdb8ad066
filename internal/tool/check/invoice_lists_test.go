package check

// unboundedOfInvoices are functions of invoices, see unbounded.
func unboundedOfInvoices() map[string]string {
	return map[string]string{
		"invoice/taxsummary.Of":      "one row for each currency and rate, of a period of at most a year",
		"invoice/taxsummary.EUSales": "one row for each customer with such a treatment, of a period of at most a year",
		"invoice/credit.LeftOf":      "the lines of one invoice",
		"invoice/webhook.Locked":     "the secrets of one source, of which few are valid",
	}
}
