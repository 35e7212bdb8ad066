package web_test

import (
	"encoding/json"
	"net/url"
)

// thing is something that can be created, with commands as a person types them into its form.
type thing struct {
	name    string // as people call it
	path    string // of its collection
	command url.Values
	other   url.Values // valid as well
	invalid url.Values
	errors  []string // where invalid is wrong: JSON Pointers
	label   string   // what the command's record is called, if it is the first
	made    string   // what its page says right after
	leaves  rows     // what one create leaves behind
}

func things() []thing { return []thing{invoices(), customers()} }

func invoices() thing {
	command := url.Values{
		"number": {""}, "customer_id": {""}, "customer_email": {"ada@example.com"}, "customer_name": {"Ada Lovelace"},
		"issue_date": {"2026-11-21"}, "due_date": {"2026-12-21"}, "currency": {"EUR"}, "notes": {"Thank you & <soon>"},
		"line_description": {"Design", "Printing"}, "line_quantity": {"2", "1.5"},
		"line_unit_price": {"50.00", "7.99"}, "line_tax_rate": {"23", "6.5"},
	}
	return thing{
		name: "invoice", path: "/invoices", command: command,
		other:   change(command, "notes", "Other words", "line_quantity", "3"),
		invalid: change(command, "due_date", "2026-11-20", "line_quantity", "none"),
		errors:  []string{"/due_date", "/lines/0/quantity"},
		label:   "2026-0001", made: "Invoice 2026-0001 created",
		leaves: rows{Invoices: 1, Lines: 2, Customers: 1, Effects: 1, Intents: 1},
	}
}

func customers() thing {
	command := url.Values{"email": {"ada@example.com"}, "name": {"Ada Lovelace"}}
	return thing{
		name: "customer", path: "/customers", command: command,
		other:   change(command, "email", "grace@example.com", "name", "Grace Hopper"),
		invalid: change(command, "email", "ada at example", "name", " "),
		errors:  []string{"/email", "/name"},
		label:   "Ada Lovelace", made: "Customer Ada Lovelace created",
		leaves: rows{Customers: 1, Intents: 1},
	}
}

// change gives a copy of a form with the first values of some fields changed.
func change(form url.Values, namesAndValues ...string) url.Values {
	changed := url.Values{}
	for name, values := range form {
		changed[name] = append([]string(nil), values...)
	}
	for i := 0; i < len(namesAndValues); i += 2 {
		values := append([]string{}, changed[namesAndValues[i]]...)
		if len(values) == 0 {
			values = []string{""}
		}
		values[0] = namesAndValues[i+1]
		changed[namesAndValues[i]] = values
	}
	return changed
}

// json gives the same command as the API takes it.
func (t thing) json(form url.Values) string {
	if t.name == "customer" {
		return encode(map[string]any{"email": form.Get("email"), "name": form.Get("name")})
	}
	var lines []map[string]any
	for i := range form["line_description"] {
		lines = append(lines, map[string]any{
			"description": form["line_description"][i], "quantity": form["line_quantity"][i],
			"unit_price": form["line_unit_price"][i], "tax_rate": form["line_tax_rate"][i],
		})
	}
	command := map[string]any{
		"issue_date": form.Get("issue_date"), "due_date": form.Get("due_date"),
		"currency": form.Get("currency"), "notes": form.Get("notes"), "lines": lines,
	}
	if number := form.Get("number"); number != "" {
		command["number"] = number
	}
	if id := form.Get("customer_id"); id != "" {
		command["customer_id"] = id
	} else {
		command["customer"] = map[string]any{"email": form.Get("customer_email"), "name": form.Get("customer_name")}
	}
	return encode(command)
}

func encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}
