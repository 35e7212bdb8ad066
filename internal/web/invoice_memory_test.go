package web

import (
	"net/http"

	"onlyonce/internal/invoice"
)

// invoiceDecoders read an invoice, as a form or as JSON.
func invoiceDecoders(isForm bool) map[string]func(*http.Request) error {
	if isForm {
		return map[string]func(*http.Request) error{"an invoice": func(r *http.Request) error {
			if err := parseForm(r); err != nil {
				return err
			}
			_, err := draftOfForm(r)
			return err
		}}
	}
	return map[string]func(*http.Request) error{"an invoice": func(r *http.Request) error {
		var in invoice.Input
		if err := decodeJSON(r, &in); err != nil {
			return err
		}
		_, err := in.Draft()
		return err
	}}
}
