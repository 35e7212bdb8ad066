package bench

// files are the documents of the largest invoice, which is issued and has more payments than any other, and that of a
// credit note.
func files() []kind {
	var all []kind
	for _, name := range []string{"pdf", "ubl"} {
		path := func(s *site) string { return "/invoices/" + s.known.largeInvoice + "/" + name }
		all = append(all, apiAt("API: invoice as "+name, "GET /api/v1/invoices/{id}/"+name, path),
			pageAt("invoice as "+name, "GET /invoices/{id}/"+name, path))
	}
	note := func(s *site) string { return "/credit-notes/" + s.known.middleNote + "/pdf" }
	return append(all, apiAt("API: credit note as pdf", "GET /api/v1/credit-notes/{id}/pdf", note),
		pageAt("credit note as pdf", "GET /credit-notes/{id}/pdf", note))
}
