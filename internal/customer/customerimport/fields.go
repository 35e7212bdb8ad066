// Package customerimport imports customers: see [importing].
package customerimport

import (
	"strings"

	"onlyonce/internal/customer"
	"onlyonce/internal/importing"
	"onlyonce/internal/value/party"
)

// field is a field with its place in a customer.
type field struct {
	importing.Field

	of func(*customer.Input) *string
}

// fields are the fields of customers in the order of their form.
//
// The headings include those in exports of Stripe, Xero, QuickBooks, Invoice Ninja and InvoicePlane, and German ones.
var fields = []field{
	{importing.Field{
		Name: "name", Label: "Name",
		Headings: "name customername customer clientname client displayname customerfullname contactname companyname company " +
			"organization organisation businessname firma firmenname fullname",
	}, func(in *customer.Input) *string { return &in.Name }},
	{importing.Field{
		Name: "email", Label: "Email",
		Headings: "email emailaddress mainemail primaryemail",
	}, func(in *customer.Input) *string { return &in.Email }},
	{importing.Field{
		Name: "address", Label: "Address", Joins: "\n",
		Headings: "address addressline1 addressline2 addressline3 addressline4 address1 address2 street street2 line1 line2 city " +
			"addresscity state province region addressstate zip zipcode postalcode postcode addresszip addresspostalcode " +
			"billaddress streetaddress adresse anschrift straße strasse plz postleitzahl ort stadt",
	}, func(in *customer.Input) *string { return &in.Address }},
	{importing.Field{
		Name: "country", Label: "Country", Read: countryCode,
		Headings: "country countrycode addresscountry land",
	}, func(in *customer.Input) *string { return &in.Country }},
	{importing.Field{
		Name: "tax_id", Label: "Tax ID",
		Headings: "taxid vatid vatnumber vat taxnumber taxregnumber taxidnumber businessvatid gstin ustidnr ustid",
	}, func(in *customer.Input) *string { return &in.TaxID }},
	{importing.Field{
		Name: "contact", Label: "Contact", Joins: " ",
		Headings: "contact contactperson fullname firstname lastname ansprechpartner vorname nachname",
	}, func(in *customer.Input) *string { return &in.Contact }},
	{importing.Field{
		Name: "reference", Label: "Reference",
		Headings: "reference ponumber orderreference",
	}, func(in *customer.Input) *string { return &in.Reference }},
	{importing.Field{
		Name: "payment_days", Label: "Payment terms in days", Read: days,
		Headings: "paymentdays paymentterms terms",
	}, func(in *customer.Input) *string { return &in.PaymentDays }},
	{importing.Field{
		Name: "copies_to", Label: "Copies to",
		Headings: "copiesto ccemail cc",
	}, func(in *customer.Input) *string { return &in.CopiesTo }},
	{importing.Field{
		Name: "external_id", Label: "ID in that system",
		Headings: "id externalid customerid clientid contactid accountnumber customernumber clientnumber number kundennummer",
	}, func(in *customer.Input) *string { return &in.ExternalID }},
}

// input returns the customer with the values of a row. Without a name, the contact is the name.
func input(values map[string]string, source string) (in customer.Input) {
	for _, f := range fields {
		*f.of(&in) = values[f.Name]
	}
	if in.Name == "" {
		in.Name, in.Contact = in.Contact, ""
	}
	if in.ExternalID != "" {
		in.Source = source
	}
	return in
}

// countryCode returns the code of a country by its code, English name or another usual name. Any other text is returned unchanged.
func countryCode(text string) string {
	if code := strings.ToUpper(text); party.IsCountry(code) {
		return code
	}
	if code, known := otherNames[strings.ToLower(text)]; known {
		return code
	}
	for _, c := range countries {
		if strings.EqualFold(c.Name, text) {
			return c.Code
		}
	}
	return text
}

var (
	countries  = party.Countries()
	otherNames = map[string]string{
		"usa": "US", "united states of america": "US", "uk": "GB", "great britain": "GB",
		"deutschland": "DE", "österreich": "AT", "schweiz": "CH",
	}
)

// days returns the days in terms such as "Net 30".
func days(text string) string {
	short := strings.ToLower(text)
	short = strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(short, "net "), " days"), " day")
	if strings.Trim(short, "0123456789") == "" {
		return short
	}
	return text
}

func shown() (all []importing.Field) {
	for _, f := range fields {
		all = append(all, f.Field)
	}
	return all
}
