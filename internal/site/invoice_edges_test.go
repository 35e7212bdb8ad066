package site_test

func invoiceMethods(person, program *client) []allowed {
	return []allowed{
		{person, "/invoices", both},
		{person, "/invoices/" + key, read},
		{person, "/invoices/new", read},
		{person, "/invoices/form", both}, // GET finds no invoice with this id
		{program, "/api/v1/invoices", both},
		{program, "/api/v1/invoices/" + key, replace},
		{program, "/api/v1/invoices/" + key + "/issue", write},
		{program, "/api/v1/invoices/" + key + "/payments", both},
		{program, "/api/v1/payments/" + key, read},
		{program, "/api/v1/payments/" + key + "/refunds", both},
		{program, "/api/v1/payments/" + key + "/remove", write},
		{program, "/api/v1/refunds/" + key, read},
		{program, "/api/v1/invoices/" + key + "/credit-notes", both},
		{program, "/api/v1/credit-notes/" + key, read},
		{person, "/invoices/" + key + "/edit", both},
		{person, "/invoices/" + key + "/form", write},
		{person, "/invoices/" + key + "/void", both},
		{person, "/invoices/" + key + "/payments", write},
		{person, "/invoices/" + key + "/payments/new", read},
		{person, "/payments/" + key, read},
		{person, "/payments/" + key + "/refunds", write},
		{person, "/payments/" + key + "/remove", both},
		{person, "/payments/" + key + "/refunds/new", read},
		{person, "/invoices/" + key + "/credit-notes", write},
		{person, "/credit-notes/" + key, read},
	}
}
