package importing

import (
	"slices"
	"strings"
	"unicode"

	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/value/party"
)

// Field is a field of a customer that a column can have.
type Field struct {
	Name, Label string
	// Joins is set if several columns can have it: their texts are joined.
	Joins bool

	value func(*customer.Input) *string
	join  string
	// read converts a text of the file; nil leaves it unchanged.
	read func(string) string
	// headings are the usual ones, in the form of [plain], the best first.
	headings string
}

// Fields returns the fields of customers in the order of their form.
//
// The headings include those in exports of Stripe, Xero, QuickBooks, Invoice Ninja and InvoicePlane.
func Fields() []Field {
	return []Field{
		{
			Name: "name", Label: "Name", value: func(in *customer.Input) *string { return &in.Name },
			headings: "name customername customer clientname client displayname contactname companyname company " +
				"organization organisation businessname fullname",
		},
		{
			Name: "email", Label: "Email", value: func(in *customer.Input) *string { return &in.Email },
			headings: "email emailaddress mainemail primaryemail",
		},
		{
			Name: "address", Label: "Address", Joins: true, join: "\n", value: func(in *customer.Input) *string { return &in.Address },
			headings: "address addressline1 addressline2 addressline3 addressline4 address1 address2 street street2 line1 line2 city " +
				"addresscity state province region addressstate zip zipcode postalcode postcode addresszip addresspostalcode",
		},
		{
			Name: "country", Label: "Country", value: func(in *customer.Input) *string { return &in.Country },
			read:     countryCode,
			headings: "country countrycode addresscountry",
		},
		{
			Name: "tax_id", Label: "Tax ID", value: func(in *customer.Input) *string { return &in.TaxID },
			headings: "taxid vatid vatnumber vat taxnumber taxregnumber taxidnumber businessvatid gstin",
		},
		{
			Name: "contact", Label: "Contact", Joins: true, join: " ", value: func(in *customer.Input) *string { return &in.Contact },
			headings: "contact contactperson firstname lastname",
		},
		{
			Name: "reference", Label: "Reference", value: func(in *customer.Input) *string { return &in.Reference },
			headings: "reference ponumber orderreference",
		},
		{
			Name: "payment_days", Label: "Payment terms in days", read: days,
			value:    func(in *customer.Input) *string { return &in.PaymentDays },
			headings: "paymentdays paymentterms terms",
		},
		{
			Name: "copies_to", Label: "Copies to", value: func(in *customer.Input) *string { return &in.CopiesTo },
			headings: "copiesto ccemail cc",
		},
		{
			Name: "external_id", Label: "ID in that system", value: func(in *customer.Input) *string { return &in.ExternalID },
			headings: "id externalid customerid clientid contactid accountnumber customernumber clientnumber idnumber number",
		},
	}
}

// prefixes begin headings of exports: "client.city", "POCity", "Card Address Line1".
const prefixes = "client contact customer billing po card"

// Guess returns the likely field of each column, by its heading.
func Guess(headings []string) []string {
	columns := make([]string, len(headings))
	for _, f := range Fields() {
		known := strings.Fields(f.headings)
		for n, at := range slices.Concat(matches(headings, known, false), matches(headings, known, true)) {
			if columns[at] == "" && (n == 0 || f.Joins) {
				columns[at] = f.Name
			}
		}
	}
	return columns
}

// matches returns the places of the headings that are known, the best first, either as they are or without a prefix.
func matches(headings, known []string, prefixed bool) (places []int) {
	for _, wanted := range known {
		for at, heading := range headings {
			is := plain(heading) == wanted
			if prefixed {
				is = slices.ContainsFunc(strings.Fields(prefixes), func(prefix string) bool { return plain(heading) == prefix+wanted })
			}
			if is {
				places = append(places, at)
			}
		}
	}
	return places
}

// plain returns the letters and digits of a heading, without capitals.
func plain(heading string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

// input returns the customer in the fields of a row.
func (s Settings) input(cells []string) (in customer.Input) {
	fields := Fields()
	for at, text := range cells {
		if at >= len(s.Columns) || text == "" {
			continue
		}
		n := slices.IndexFunc(fields, func(f Field) bool { return f.Name == s.Columns[at] })
		if n < 0 {
			continue
		}
		if read := fields[n].read; read != nil {
			text = read(text)
		}
		if value := fields[n].value(&in); *value == "" {
			*value = text
		} else {
			*value += fields[n].join + text
		}
	}
	if in.ExternalID != "" {
		in.External = idempotency.External{Source: s.Source, ExternalID: in.ExternalID}
	}
	return in
}

// countryCode returns the code of a country by its code or English name. Any other text is returned unchanged.
func countryCode(text string) string {
	if code := strings.ToUpper(text); party.IsCountry(code) {
		return code
	}
	for _, c := range countries {
		if strings.EqualFold(c.Name, text) {
			return c.Code
		}
	}
	return text
}

var countries = party.Countries()

// days returns the days in terms such as "Net 30".
func days(text string) string {
	short := strings.ToLower(text)
	short = strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(short, "net "), " days"), " day")
	if strings.Trim(short, "0123456789") == "" {
		return short
	}
	return text
}
