package invoicepages

import (
	"net/http"

	"github.com/a-h/templ"

	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/document"
	"onlyonce/internal/invoice/excerpt"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

func (s *Pages) invoicePage(r *http.Request, p templates.Page, inv invoice.Invoice) (templ.Component, error) {
	totals, err := invoice.TotalsOf(inv.Lines)
	if err != nil {
		return nil, err
	}
	money := inv.Currency.Display
	view := invoiceviews.Invoice{
		Number: inv.Number, Status: excerpt.Status(inv.Status, inv.Overdue, inv.Credited > 0),
		Seller: excerpt.Seller(inv), Buyer: excerpt.Buyer(inv),
		IssueDate: web.DateText(inv.IssueDate), DueDate: web.DateText(inv.DueDate), Currency: inv.Currency.String(),
		Subtotal: money(inv.Subtotal), Total: money(inv.Total), Notes: inv.Notes, Footer: inv.Seller.Footer,
		CopyHref:   web.FormHref(r, "/invoices/new?copy="+inv.ID.String()),
		RepeatHref: web.FormHref(r, "/schedules/new?invoice="+inv.ID.String()),
		PDFHref:    s.Invoices.URL(inv.ID) + "/pdf", External: web.ExternalFact(inv.External),
	}
	if inv.Status == invoice.StatusDraft {
		view.EditHref = web.FormHref(r, s.Invoices.URL(inv.ID)+"/edit")
		if view.Closed = inv.Closed; !inv.Closed {
			issue := web.Asked(s.Invoices, r, inv.ID, "issue", nil)
			issue.Text, issue.Primary = "Issue invoice", true
			view.Actions = append(view.Actions, issue)
		}
	}
	if inv.Status != invoice.StatusDraft && inv.Status != invoice.StatusVoid {
		s.showBalance(r, inv, &view)
	}
	if err := s.remind(r, inv, &view); err != nil {
		return nil, err
	}
	if view.Ledger, err = s.ledger(r, inv); err != nil {
		return nil, err
	}
	if view.Mails, err = s.mailsOf(r, s.site.Pool, inv); err != nil {
		return nil, err
	}
	if view.Attachments, err = s.attachmentRows(r, inv); err != nil {
		return nil, err
	}
	if view.Mentions, err = s.mentions(r, inv); err != nil {
		return nil, err
	}
	if inv.Status != invoice.StatusVoid && inv.Paid == 0 && !inv.HasCreditNotes && inv.WrittenOff == 0 {
		if view.Closed = inv.Closed; !inv.Closed || inv.Status == invoice.StatusDraft {
			view.VoidHref = web.Asked(s.Invoices, r, inv.ID, "void", nil).Href
		}
	}
	for _, f := range document.Supply(inv) {
		view.Supply = append(view.Supply, templates.Fact{Label: f.Label, Value: f.Value})
	}
	if inv.Status == invoice.StatusDraft || inv.Open > 0 {
		for _, f := range document.Payment(inv) {
			view.Payment = append(view.Payment, templates.Fact{Label: f.Label, Value: f.Value})
		}
	}
	for _, l := range inv.Lines {
		view.Lines = append(view.Lines, excerpt.LineView(l, inv.Currency))
	}
	for _, g := range totals.Groups {
		view.Taxes = append(view.Taxes, invoiceviews.TaxLine{
			Label: g.NoTax.GroupText(g.Rate), Net: money(g.Net), Amount: money(g.Tax), Reason: g.NoTax.ReasonText(inv.Exemption),
		})
	}
	return invoiceviews.InvoicePage(p, view), nil
}

// showBalance adds the balance of an issued invoice to its page, and the links that change it.
func (s *Pages) showBalance(r *http.Request, inv invoice.Invoice, view *invoiceviews.Invoice) {
	money, at := inv.Currency.Display, s.Invoices.URL(inv.ID)
	view.Open, view.EInvoiceHref = money(inv.Open), at+"/ubl"
	if paid := inv.Received(); paid > 0 || inv.Status == invoice.StatusPaid { // a total of zero is paid from the start
		view.Paid = money(paid)
	}
	if inv.BecameCredit > 0 {
		view.BecameCredit = money(-inv.BecameCredit)
	}
	if inv.Credited > 0 {
		view.Credited = money(inv.Credited)
	}
	if inv.WrittenOff > 0 {
		view.WrittenOff = money(inv.WrittenOff)
	}
	if inv.Open > 0 {
		view.PayHref = web.FormHref(r, at+"/payments/new")
		view.WriteOffHref = web.FormHref(r, at+"/write-offs/new")
	}
	if inv.Open+inv.Paid > 0 {
		view.CreditHref = web.FormHref(r, at+"/credit-notes/new")
	}
}
