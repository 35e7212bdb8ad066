package invoicepages

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/attachment"
	"onlyonce/internal/invoice/duplicate"
	"onlyonce/internal/invoice/excerpt"
	"onlyonce/internal/invoice/receipt"
	"onlyonce/internal/invoice/reminder"
	"onlyonce/internal/invoice/schedule"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

// ledger returns a page of the payments, refunds, credit notes and write-offs of an invoice. It is empty for a draft.
func (s *Pages) ledger(r *http.Request, inv invoice.Invoice) (v invoiceviews.Ledger, err error) {
	if inv.Status == invoice.StatusDraft {
		return v, nil
	}
	list, err := web.PageOf(r, func(r *http.Request, page record.Page) (record.List[invoice.Posting], error) {
		return invoice.Ledger(r.Context(), s.site.Pool, web.Principal(r).Tenant, inv.ID, page)
	})
	if err != nil {
		return v, excerpt.MissingPage(err)
	}
	v.Pager = web.PagerOf(r, list)
	for _, p := range list.Rows {
		row := s.ledgerRow(r, inv, p)
		if row.RemoveHref != "" && p.Closed {
			row.RemoveHref, row.Closed = "", true
		}
		v.Rows = append(v.Rows, row)
	}
	return v, err
}

func (s *Pages) ledgerRow(r *http.Request, inv invoice.Invoice, p invoice.Posting) invoiceviews.LedgerRow {
	row := invoiceviews.LedgerRow{Date: web.DateText(p.Date), Amount: web.AmountText(inv.Currency, p.Amount)}
	details := strings.TrimSuffix(web.OptionText(p.Method)+" · "+p.Details, " · ")
	if p.Receipt != uuid.Nil {
		row.ReceiptHref = "/receipts/" + p.Receipt.String()
		if p.Kind == "payment" || p.Kind == "removal" {
			row.Number = p.Number
		}
	}
	if row.Number != "" { // no transfer
		details = ""
	}
	switch p.Kind {
	case "payment":
		row.Kind, row.Details = "Payment", details
		row.Removed = p.Removed
		if left := min(p.Left, inv.Paid); left > 0 { // the rest became credit
			row.Left, row.RefundHref = web.AmountText(inv.Currency, left), web.FormHref(r, "/payments/"+p.ID.String()+"/refunds/new")
		}
		if p.Left == p.Amount && p.Left <= inv.Paid { // no refunds
			row.RemoveHref = web.FormHref(r, "/payments/"+p.ID.String()+"/remove")
		}
	case "removal":
		row.Kind, row.Details = "Payment removed", details
		row.Amount = "−" + web.AmountText(inv.Currency, -p.Amount)
	case "write_off":
		row.Kind, row.Details, row.Removed = "Write-off", details, p.Removed
		if !p.Removed {
			row.TakeBackHref = web.FormHref(r, "/write-offs/"+p.ID.String()+"/reverse")
		}
	case "reversal":
		row.Kind, row.Details, row.Amount = "Write-off taken back", details, "−"+web.AmountText(inv.Currency, -p.Amount)
	case "to_credit":
		row.Kind, row.Amount = "Became credit", "−"+web.AmountText(inv.Currency, -p.Amount)
	case "from_credit":
		row.Kind = "Credit taken back"
	case "credit_reversal":
		row.Kind, row.Amount = "Credit note reversed", "−"+web.AmountText(inv.Currency, -p.Amount)
		row.Number, row.Href = p.Number, "/credit-notes/"+p.ID.String()
	case "refund":
		row.Kind, row.Details, row.Removed = "Refund", p.Details, p.Removed
		row.Amount = "−" + web.AmountText(inv.Currency, -p.Amount)
		if !p.Removed {
			row.RemoveHref = web.FormHref(r, "/refunds/"+p.ID.String()+"/remove")
		}
	case "refund_removal":
		row.Kind = "Refund removed"
	default:
		row.Kind, row.Number, row.Href = "Credit note", p.Number, "/credit-notes/"+p.ID.String()
	}
	return row
}

// remind adds to the page of an overdue invoice its last reminder, the day of the next automatic one, and the link that sends the next
// one, if it is possible.
func (s *Pages) remind(r *http.Request, inv invoice.Invoice, view *invoiceviews.Invoice) error {
	if !inv.Overdue {
		return nil
	}
	found, err := record.Find(r.Context(), s.site.Pool, reminder.Invoices, web.Principal(r).Tenant, inv.ID)
	if err != nil {
		return err
	}
	today := web.Principal(r).Today()
	view.LastReminder = reminder.Last(found.LastReminder)
	switch next := found.NextOn; {
	case next == date.Date{}:
	case today.Before(next):
		view.NextReminder = next.Display()
	default:
		view.NextReminder = "today"
	}
	if level, err := reminder.Next(found.Summary, today); err == nil {
		view.Remind = templates.Link{
			Text: "Send " + strings.ToLower(reminder.LevelName(level)), Href: web.FormHref(r, s.Invoices.URL(inv.ID)+"/reminders/new"),
		}
	}
	return nil
}

// maxAttachments is the number of attachments on the page of an invoice, newest first.
const maxAttachments = 50

// attachmentRows returns the attachments of an invoice for its page.
func (s *Pages) attachmentRows(r *http.Request, inv invoice.Invoice) (v invoiceviews.Attachments, err error) {
	if inv.Status != invoice.StatusVoid {
		v.NewHref = web.FormHref(r, "/invoices/"+inv.ID.String()+"/attachments/new")
	}
	list, err := attachment.ListOf(r.Context(), s.site.Pool, web.Principal(r).Tenant, inv.ID, record.Page{Limit: maxAttachments})
	for _, a := range list.Rows {
		v.Rows = append(v.Rows, invoiceviews.Attachment{
			Name: a.File.Name, Href: "/attachments/" + a.ID.String() + "/file", Size: sizeText(a.File.Size), Day: web.Day(r, a.CreatedAt),
			RemoveHref: web.FormHref(r, "/attachments/"+a.ID.String()+"/remove"),
		})
	}
	v.More = (list.After != record.Key{})
	return v, err
}

// sizeText returns the size of a file for people.
func sizeText(bytes int) string {
	switch {
	case bytes < 1<<10:
		return fmt.Sprintf("%d B", bytes)
	case bytes < 1<<20:
		return fmt.Sprintf("%d KiB", bytes>>10)
	default:
		return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
	}
}

// creditOf returns a link to pay an invoice from the credit of its customer, if there is any.
func (s *Pages) creditOf(r *http.Request, inv invoice.Invoice) ([]invoiceviews.Mention, error) {
	if inv.Open == 0 || !web.Principal(r).Role.May(web.Member) {
		return nil, nil
	}
	of, err := receipt.CreditFor(r.Context(), s.site.Pool, web.Principal(r).Tenant, inv.ID)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	use := url.Values{"invoice_id": {inv.ID.String()}, "amount": {inv.Currency.Format(min(of.Left, inv.Open))}}
	form := web.FormHref(r, "/receipts/"+of.Oldest.String()+"/allocations/new?"+use.Encode())
	said := invoiceviews.Mention{
		Before: of.Customer + " has credit of " + web.SumText(inv.Currency, of.Total) + ". ",
		Link:   templates.Link{Text: "Pay with it", Href: form},
	}
	if of.Receipts > 1 {
		said.Link.Text = "Pay with the oldest, " + web.AmountText(inv.Currency, of.Left)
	}
	return []invoiceviews.Mention{said}, err
}

// mentions returns links from an invoice to its duplicates, to the schedule that billed it, and to the credit that can pay it.
func (s *Pages) mentions(r *http.Request, inv invoice.Invoice) (all []invoiceviews.Mention, err error) {
	tenant := web.Principal(r).Tenant
	if all, err = s.creditOf(r, inv); err != nil {
		return nil, err
	}
	if of := inv.DuplicateOf; of.ID != uuid.Nil {
		link := templates.Link{Text: of.Name, Href: s.Invoices.URL(of.ID)}
		all = append(all, invoiceviews.Mention{Before: "Void: duplicate of ", Link: link, After: "."})
	}
	voided, err := duplicate.KeptFor(r.Context(), s.site.Pool, tenant, inv.ID)
	if err != nil {
		return nil, err
	}
	for _, i := range voided {
		link := templates.Link{Text: i.Number, Href: s.Invoices.URL(i.ID)}
		all = append(all, invoiceviews.Mention{Link: link, After: " was voided as its duplicate."})
	}
	billed, period, err := schedule.Billed(r.Context(), s.site.Pool, tenant, inv.ID)
	switch {
	case errors.Is(err, record.ErrNotFound):
		return all, nil
	case err != nil:
		return nil, err
	}
	return append(all, invoiceviews.Mention{
		Before: "Billed by the schedule ", Link: templates.Link{Text: schedule.Name(billed), Href: "/schedules/" + billed.ID.String()},
		After: " for the period of " + web.DateText(period.Day) + ".",
	}), nil
}
