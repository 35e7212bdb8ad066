package fork

// Paths are those of a part.
func Paths(part string) []string { return parts()[part].paths }

// WithoutInvoices is the migration that takes the tables of invoices away.
func WithoutInvoices() string { return withoutInvoices }
