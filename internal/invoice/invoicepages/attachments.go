package invoicepages

import (
	"fmt"
	"net/http"

	"github.com/a-h/templ"

	"onlyonce/internal/file"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/attachment"
	"onlyonce/internal/record"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

// mountAttachments mounts the resource of package attachment. Attachments are listed with their invoice.
func (s *Pages) mountAttachments() {
	s.attachments = web.Under(s.invoices, s.Site, web.Resource[attachment.Attachment]{
		One: "attachment", Path: "/attachments", Table: attachment.Table, Name: attachment.Name, Rules: attachment.Rules(),
		ShownAt: func(a attachment.Attachment) string { return "/invoices/" + a.InvoiceID.String() },
	})
	m := s.attachments
	draft := web.NewFormUnder(s.invoices, m, func(in attachment.Input, inv invoice.Invoice) (attachment.Draft, error) {
		return in.Draft(inv.ID)
	}, web.Form[attachment.Attachment]{
		Fields: []templates.Field{{Name: "file", Value: "File"}}, Files: map[string]file.Rule{"file": attachment.Rule()},
		Page: s.attachmentForm, Example: attachment.Input{File: file.Input{Name: "order.txt", Content: []byte("Two posters\n")}},
		Words: &web.Wording{
			Title: "Attach a file", Submit: "Attach file", Did: "attached", Does: "attaches", Again: "Attach another file",
			Created: "File attached.", Replayed: "File attached. We ignored the duplicate submission and kept your first request.",
		},
	})
	web.List(m, web.Listing[attachment.Attachment]{
		Summary: "The attachments of an invoice that were not removed, newest first.", Read: web.ListUnder(s.invoices, attachment.ListOf),
	})
	web.Show(m, web.RecordPage[attachment.Attachment]{Summary: "One attachment, without the content of its file."})
	web.Create(m, "Attach a file to an invoice: "+attachment.Rule().String()+".", attachment.Create, draft, nil)
	web.Transition(m, "remove", "removed", "Remove an attachment from its invoice. Its file is kept, but not returned any more, and can "+
		"be attached again.", attachment.Remove, web.Nothing())
	web.Ask(m, "remove", attachment.Remove, web.Question[attachment.Attachment]{Submit: "Remove attachment", Page: s.removeAttachment})
	web.Stored(m, "file", "The file of an attachment that was not removed.", attachment.Rule(), func(a attachment.Attachment) file.Stored {
		if !a.RemovedAt.IsZero() {
			return file.Stored{}
		}
		return a.File
	})
}

func (s *Pages) removeAttachment(
	r *http.Request, p templates.Page, f templates.Form, of attachment.Attachment,
) (templ.Component, error) {
	number, err := invoice.Numbers.Of(r.Context(), s.Pool, web.Principal(r).Tenant, of.InvoiceID)
	if err != nil {
		return nil, err
	}
	return invoiceviews.RemoveAttachmentPage(p, invoiceviews.RemoveAttachment{
		Form: f, Number: number, Href: s.invoices.URL(of.InvoiceID), Name: of.File.Name, Removed: !of.RemovedAt.IsZero(),
	}), nil
}

func (s *Pages) attachmentForm(r *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
	inv, err := s.invoices.Find(r)
	if err != nil {
		return nil, err
	}
	return invoiceviews.AttachmentForm(p, invoiceviews.AttachmentFormView{
		Form: f, Number: inv.Number, Href: "/invoices/" + inv.ID.String(),
		Accept: attachment.Rule().Accept(), Takes: attachment.Rule().String() + ". The customer doesn't get it.",
	}), nil
}

// maxAttachments is the number of attachments on the page of an invoice, newest first.
const maxAttachments = 50

// attachmentRows returns the attachments of an invoice for its page.
func (s *Pages) attachmentRows(r *http.Request, inv invoice.Invoice) (v invoiceviews.Attachments, err error) {
	if inv.Status != invoice.StatusVoid {
		v.NewHref = web.FormHref(r, "/invoices/"+inv.ID.String()+"/attachments/new")
	}
	list, err := attachment.ListOf(r.Context(), s.Pool, web.Principal(r).Tenant, inv.ID, record.Page{Limit: maxAttachments})
	for _, a := range list.Rows {
		v.Rows = append(v.Rows, invoiceviews.Attachment{
			Name: a.File.Name, Href: "/attachments/" + a.ID.String() + "/file", Size: sizeText(a.File.Size), Day: web.Day(a.CreatedAt),
			RemoveHref: web.Asked(s.attachments, r, a.ID, "remove", nil).Href,
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
