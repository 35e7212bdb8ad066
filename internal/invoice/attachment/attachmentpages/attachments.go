// Package attachmentpages has the pages and the API of attachments.
package attachmentpages

import (
	"net/http"

	"github.com/a-h/templ"

	"onlyonce/internal/file"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/attachment"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

// pages has the dependencies of the pages.
type pages struct {
	site     *web.Site
	invoices *web.Mounted[invoice.Invoice]
}

// Mount mounts attachments below invoices, which list them.
func Mount(on *web.Site, invoices *web.Mounted[invoice.Invoice]) {
	s := &pages{on, invoices}
	m := web.Under(s.invoices, s.site, web.Resource[attachment.Attachment]{
		One: "attachment", Path: "/attachments", Table: attachment.Table, Name: attachment.Name, Rules: attachment.Rules(),
		ShownAt: func(a attachment.Attachment) string { return "/invoices/" + a.InvoiceID.String() },
	})
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

func (s *pages) removeAttachment(
	r *http.Request, p templates.Page, f templates.Form, of attachment.Attachment,
) (templ.Component, error) {
	number, err := invoice.Numbers.Of(r.Context(), s.site.Pool, web.Principal(r).Tenant, of.InvoiceID)
	if err != nil {
		return nil, err
	}
	return invoiceviews.RemoveAttachmentPage(p, invoiceviews.RemoveAttachment{
		Form: f, Number: number, Href: s.invoices.URL(of.InvoiceID), Name: of.File.Name, Removed: !of.RemovedAt.IsZero(),
	}), nil
}

func (s *pages) attachmentForm(r *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
	inv, err := s.invoices.Find(r)
	if err != nil {
		return nil, err
	}
	return invoiceviews.AttachmentForm(p, invoiceviews.AttachmentFormView{
		Form: f, Number: inv.Number, Href: "/invoices/" + inv.ID.String(),
		Accept: attachment.Rule().Accept(), Takes: attachment.Rule().String() + ". The customer doesn't get it.",
	}), nil
}
