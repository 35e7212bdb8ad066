package invoicepages

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/document"
	"onlyonce/internal/value/party"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

// fewDays is the number of days after today up to which an issue date is usual.
const fewDays = 3

// fact is a part of an invoice, with its name for a sentence.
type fact struct{ name, value string }

// warnings returns unusual facts about a draft, with links to correct them. The error is from the database or from
// [document.Gaps].
func (s *Pages) warnings(r *http.Request, inv invoice.Invoice) (all []invoiceviews.Warning, err error) {
	add := func(text, fix, href, when string) {
		all = append(all, invoiceviews.Warning{Text: text, Fix: templates.Link{Text: fix, Href: href}, When: when})
	}
	url := s.Invoices.URL(inv.ID)
	seller := []fact{
		{"your address", inv.Seller.Address}, {"your country", inv.Seller.Country}, {"your tax ID", inv.Seller.TaxID},
		{"your bank account", inv.Seller.AccountNumber},
	}
	if _, is := party.VATNumber(inv.Seller.TaxID); !is && slices.ContainsFunc(inv.Lines, needsSellersVAT) {
		seller[2] = fact{"your VAT number", ""}
	}
	buyer := []fact{{"the customer's address", inv.Customer.Address}, {"the customer's country", inv.Customer.Country}}
	if _, is := party.VATNumber(inv.Customer.TaxID); !is && needsBuyersVAT(inv) {
		buyer = append(buyer, fact{"the customer's VAT number", ""})
	}
	if names := lacking(seller); len(names) > 0 {
		all = append(all, lack(names, "in the settings", "/settings/edit"))
	}
	if names := lacking(buyer); len(names) > 0 {
		all = append(all, lack(names, "to the customer", "/customers/"+inv.Customer.ID.String()+"/edit"))
	}
	all = append(all, misplaced(inv)...)
	usual, err := invoice.UsualOf(r.Context(), s.site.Pool, web.Principal(r).Tenant, []uuid.UUID{inv.Customer.ID})
	if err != nil {
		return nil, err
	}
	all = append(all, otherCurrency(inv, usual)...)
	issued, today := inv.IssueDate, s.site.Today(r)
	if today.AddDays(fewDays).Before(issued) {
		add("The issue date, "+web.DateText(issued)+", is in the future.", "Edit the draft", url+"/edit",
			" first, if it should be earlier.")
	}
	if inv.DueDate.Before(today) {
		add("The due date, "+web.DateText(inv.DueDate)+", has passed.", "Edit the draft", url+"/edit", " first, if it should be later.")
	}
	unordered, err := invoice.OutOfOrder(r.Context(), s.site.Pool, web.Principal(r).Tenant, inv)
	if err != nil {
		return nil, err
	}
	for _, other := range unordered {
		add("The invoice "+other.Number+" is dated "+web.DateText(other.IssueDate)+", and this one "+web.DateText(issued)+".",
			"Edit the draft", url+"/edit", " first, if the dates should be in the order of the numbers.")
	}
	gaps, err := document.Gaps(s.renderer, inv)
	if len(gaps) > 0 {
		add("The PDF file can't show "+gapsText(gaps)+".", "Look at the PDF file", url+"/pdf", ": it has a replacement in each place.")
	}
	return all, err
}

// ChosenWarnings returns warnings about chosen drafts, by their ids: a tax treatment that needs the customer's VAT number or that their
// parties contradict, and an unusual currency.
func (s *Pages) ChosenWarnings(r *http.Request, drafts []invoice.Invoice) (map[uuid.UUID][]invoiceviews.Warning, error) {
	customers := make([]uuid.UUID, 0, len(drafts))
	for _, inv := range drafts {
		if !slices.Contains(customers, inv.Customer.ID) {
			customers = append(customers, inv.Customer.ID)
		}
	}
	usual, err := invoice.UsualOf(r.Context(), s.site.Pool, web.Principal(r).Tenant, customers)
	if err != nil {
		return nil, err
	}
	all := map[uuid.UUID][]invoiceviews.Warning{}
	for _, inv := range drafts {
		if _, is := party.VATNumber(inv.Customer.TaxID); !is && needsBuyersVAT(inv) {
			all[inv.ID] = append(all[inv.ID],
				lack([]string{"the customer's VAT number"}, "to the customer", "/customers/"+inv.Customer.ID.String()+"/edit"))
		}
		all[inv.ID] = slices.Concat(all[inv.ID], misplaced(inv), otherCurrency(inv, usual))
	}
	return all, nil
}

// otherCurrency returns a warning if an invoice has neither the currency of the business nor the one of the customer's last invoice.
func otherCurrency(inv invoice.Invoice, usual []invoice.Usual) (all []invoiceviews.Warning) {
	for _, is := range usual {
		if is.Customer == inv.Customer.ID && is.Number != "" && inv.Currency != is.Currency && inv.Currency != is.Business {
			all = append(all, another("The customer's last invoice, "+is.Number+", is in "+is.Currency.String()+", and this one in "+
				inv.Currency.String()+".", inv))
		}
	}
	return all
}

// another returns a warning with a link to the form where a draft gets another value.
func another(text string, inv invoice.Invoice) invoiceviews.Warning {
	return invoiceviews.Warning{
		Text: text, Fix: templates.Link{Text: "Edit the draft", Href: "/invoices/" + inv.ID.String() + "/edit"},
		When: " first, if it should be another one.",
	}
}

// needsBuyersVAT reports whether an invoice must show the VAT number of the customer: it has lines with a reverse charge or for another
// country of the EU, or lines without a treatment that a business bills there without tax.
func needsBuyersVAT(inv invoice.Invoice) bool {
	seller, buyer := inv.Seller.Country, inv.Customer.Country
	abroad := seller != buyer && party.InEU(seller) && party.InEU(buyer)
	return slices.ContainsFunc(inv.Lines, func(l invoice.Line) bool {
		return l.NoTax == invoice.ReverseCharge || l.NoTax == invoice.IntraCommunity || l.NoTax == "" && abroad && l.TaxRate.IsZero()
	})
}

// needsSellersVAT reports whether a tax ID of the business that isn't a VAT number is not enough (BR-IC-02, BR-G-02).
func needsSellersVAT(l invoice.Line) bool {
	return l.NoTax == invoice.IntraCommunity || l.NoTax == invoice.Export
}

// lack returns the warning about facts that an invoice doesn't show, with a link to the form where they are added.
func lack(names []string, where, href string) invoiceviews.Warning {
	what := "it"
	if len(names) > 1 {
		what = "them"
	}
	return invoiceviews.Warning{
		Text: "The invoice doesn't show " + document.Listed(names) + ".",
		Fix:  templates.Link{Text: "Add " + what + " " + where, Href: href}, When: " first, if it should.",
	}
}

// misplaced returns warnings about the treatments that an invoice's lines have and the countries of its parties contradict. A domestic
// reverse charge is among them, since few supplies have one. Unknown countries contradict nothing. A VAT number counts before the country.
func misplaced(inv invoice.Invoice) (all []invoiceviews.Warning) {
	seller, buyer := inv.Seller.Country, inv.Customer.Country
	at := party.VATPlace(buyer, inv.Customer.TaxID)
	if seller == "" {
		return nil
	}
	var texts []string
	for as, wrong := range map[invoice.Treatment]bool{
		invoice.Export:         buyer != "" && (seller == buyer || party.InEU(seller) && party.InEU(buyer)),
		invoice.IntraCommunity: at != "" && (seller == at || !party.InEU(at) && at != "XI"), // as in the EU sales list
		invoice.ReverseCharge:  seller == at,
	} {
		if !wrong || !slices.ContainsFunc(inv.Lines, func(l invoice.Line) bool { return l.NoTax == as }) {
			continue
		}
		with := "the country " + party.CountryName(buyer)
		if number, is := party.VATNumber(inv.Customer.TaxID); is && as != invoice.Export && party.VATCountry(number) != buyer {
			with = "the VAT number " + number
		}
		texts = append(texts, "The tax treatment "+as.Terms().Name+" doesn't suit a customer with "+with+".")
	}
	slices.Sort(texts)
	for _, text := range texts {
		all = append(all, another(text, inv))
	}
	return all
}

// lacking returns the names of the facts without a value.
func lacking(facts []fact) (names []string) {
	for _, f := range facts {
		if f.value == "" {
			names = append(names, f.name)
		}
	}
	return names
}

// Limits of the lists in a warning.
const (
	maxGaps       = 5  // places
	maxCharacters = 10 // of each
)

func gapsText(gaps []document.Gap) string {
	var texts []string
	for _, g := range gaps[:min(len(gaps), maxGaps)] {
		var characters []string
		for _, c := range g.Characters[:min(len(g.Characters), maxCharacters)] {
			characters = append(characters, string(c))
		}
		if len(g.Characters) > maxCharacters {
			characters = append(characters, "…")
		}
		texts = append(texts, strings.Join(characters, " ")+" in "+g.Place)
	}
	if more := len(gaps) - len(texts); more > 0 {
		texts = append(texts, "characters in "+strconv.Itoa(more)+" more places")
	}
	return document.Listed(texts)
}
