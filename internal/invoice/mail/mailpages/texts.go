package mailpages

import (
	"cmp"
	"net/http"

	"github.com/a-h/templ"

	"onlyonce/internal/customer"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/credit"
	"onlyonce/internal/invoice/document"
	"onlyonce/internal/invoice/mail"
	"onlyonce/internal/people/settings"
	"onlyonce/internal/record"
	"onlyonce/internal/value/money"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

// mountTexts mounts the texts of emails among the settings.
func mountTexts(s *web.Site) {
	m := web.Resource[mail.Texts]{
		One: "email texts", Path: "/email-texts", Tab: "Email texts", Singleton: true, Table: mail.AllTexts,
		Name: func(mail.Texts) string { return "Texts of emails" },
	}.Mount(s.Within("settings"))
	form := web.Form[mail.Texts]{
		Page: textsForm, Example: mail.Wording{InvoiceText: "Thank you for your order. Here is invoice {number}, due {due}."},
	}
	for _, of := range new(mail.Wording).Each() {
		name := textName(of.Kind)
		form.Fields = append(form.Fields, templates.Field{Name: of.Kind + "_subject", Value: name + ", subject"},
			templates.Field{Name: of.Kind + "_text", Value: name + ", text"})
	}
	web.Show(m, web.RecordPage[mail.Texts]{
		Summary: "The subjects and texts of emails to customers, with placeholders. One that is left out is the standard one.",
		Facts: func(*http.Request, mail.Texts) []templates.Fact {
			return []templates.Fact{{Label: "Example", Value: "Invoice 2026-0042 to Ada Lovelace of Lovelace Ltd"}}
		},
		Page: func(r *http.Request, p templates.Page, found mail.Texts) (templ.Component, error) {
			business, err := settings.Of(r.Context(), s.Pool, web.Principal(r).Tenant)
			return invoiceviews.MailTextsPage(p, invoiceviews.MailTexts{
				RecordView: web.RecordView(m, r, found), Parts: textExamples(r, &found.Wording, business.Name),
			}), err
		},
	})
	web.Change(m, http.MethodPut, "Replace the subjects and texts of emails. Emails that are queued keep theirs.", mail.SetTexts,
		web.NewForm(m, mail.Wording.Draft, form))
}

// textName returns the name of the emails of a kind for users.
func textName(kind string) string {
	switch kind {
	case mail.KindInvoice:
		return "Invoice"
	case mail.KindVoid:
		return "Void invoice"
	default:
		return mailKind(mail.Mail{Kind: kind})
	}
}

// textsForm has the standard texts as hints, and the placeholders of each kind.
func textsForm(_ *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
	view := invoiceviews.MailTextsForm{Form: f}
	for _, of := range new(mail.Wording).Each() {
		subject, text := mail.Standard(of.Kind)
		view.Parts = append(view.Parts, invoiceviews.MailText{
			Field: of.Kind, Name: textName(of.Kind), Subject: subject, Text: text,
			Placeholders: document.Listed(mail.Placeholders(of.Kind)),
		})
	}
	return invoiceviews.MailTextsFormPage(p, view), nil
}

// textExamples fills the texts in for an example of a business.
func textExamples(r *http.Request, set *mail.Wording, business string) (all []invoiceviews.MailText) {
	issued := web.Principal(r).Today()
	inv := invoice.Invoice{
		Number: "2026-0042", IssueDate: issued, DueDate: issued.AddDays(30), Currency: exampleCurrency, Total: 123450, Open: 123450,
		Customer: invoice.Buyer{Customer: invoice.Customer{Name: "Lovelace Ltd"}, Texts: customer.Texts{Contact: "Ada Lovelace"}},
		Seller:   invoice.Seller{Name: business},
	}
	note := credit.Note{Number: "CN-2026-0007", Date: issued, Total: 23450, Reverses: record.Reference{Name: "CN-2026-0006"}}
	for _, of := range set.Each() {
		subject, text := mail.Standard(of.Kind)
		all = append(all, invoiceviews.MailText{
			Name: textName(of.Kind), Standard: *of.Subject == "" && *of.Text == "",
			Subject: mail.Fill(cmp.Or(*of.Subject, subject), inv, note), Text: mail.Fill(cmp.Or(*of.Text, text), inv, note),
		})
	}
	return all
}

var exampleCurrency, _ = money.ParseCurrency("EUR")
