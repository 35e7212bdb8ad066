package check

// unboundedOfInvoices are functions of invoices, see unbounded.
func unboundedOfInvoices() map[string]string {
	return map[string]string{
		"invoice/credit.LeftOf":  "the lines of one invoice",
		"invoice/webhook.Locked": "the secrets of one source, of which few are valid",
	}
}
