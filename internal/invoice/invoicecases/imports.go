package invoicecases

import (
	"onlyonce/internal/customer/customercases"
	"onlyonce/internal/site/sitetest"
)

const (
	invoiceFile = "Number,Name,Date,Total\\nNew %1$s,Ada,2026-11-21,10.00\\n2026-%1$s,Ada,2026-11-21,10.00\\n"
	paymentFile = "Number,Date,Amount\\n2026-%1$s,2026-11-21,1.00\\nNew,2026-11-21,1.00\\n"
)

// Imports create invoices from files.
func Imports() sitetest.Resource {
	const head = "Number,Name,Date,Total\n"
	return customercases.ImportsOf("invoice", head+"INV-1,Ada Lovelace,2026-11-21,10.00\n", head+"INV-2,Ada Lovelace,2026-11-21,10.00\n")
}

// PaymentImports create payments from files.
func PaymentImports() sitetest.Resource {
	const head = "Number,Date,Amount\n"
	return customercases.ImportsOf("payment", head+"INV-1,2026-11-21,10.00\n", head+"INV-2,2026-11-21,10.00\n")
}

// growImports inserts imports of acme behind those of customers.
func growImports(b *sitetest.Bundle) {
	customercases.GrowImports(b, "invoices", sitetest.Many, "{Number,Name,Date,Total}", "{number,customer,issue_date,total}", invoiceFile)
	customercases.GrowImports(b, "payments", 2*sitetest.Many, "{Number,Date,Amount}", "{number,date,amount}", paymentFile)
}
