package invoicetest

// The number of invoices of the demo's first tenant, and of all tenants without those of schedules.
const (
	DemoOfAcme     = 55
	DemoOfSchedule = 2 // of each tenant
	demoInvoices   = DemoOfAcme + 24
)

// DemoRows is the number of rows of [DemoStory], and of the customers abroad.
const DemoRows = demoInvoices + 4 + 7 + 1 + 2 // refunds, credit notes, write-offs, customers

// DemoTables are the tables with demo data of invoices.
const DemoTables = "invoices, invoice_lines, invoice_number_runs"

// DemoStory selects the demo data of invoices as shown on pages, without ids and times of creation.
const DemoStory = `
	SELECT concat_ws(' ', t.name, o.key, i.number, i.issue_date, i.due_date, i.currency, i.total, i.state, i.paid, c.email)
	FROM invoices i JOIN intents o ON o.tenant_id = i.tenant_id AND o.record_id = i.id AND o.operation = 'invoice.create'
		JOIN customers c ON c.tenant_id = i.tenant_id AND c.id = i.customer_id JOIN tenants t ON t.id = i.tenant_id
	UNION ALL SELECT concat_ws(' ', 'refund', t.name, amount, refunded_on) FROM refunds JOIN tenants t ON t.id = tenant_id
	UNION ALL SELECT concat_ws(' ', 'credit note', t.name, number, total) FROM credit_notes JOIN tenants t ON t.id = tenant_id
	UNION ALL SELECT concat_ws(' ', 'write-off', t.name, amount, written_off_on) FROM write_offs JOIN tenants t ON t.id = tenant_id`
