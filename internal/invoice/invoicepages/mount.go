// Package invoicepages has the pages and the API of invoices and their documents, the start page, and the section on a customer's page.
package invoicepages

import (
	"net/http"

	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/semaphore"

	"onlyonce/docs"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/pdf"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

// Pages has the dependencies of the pages of invoices.
type Pages struct {
	site     *web.Site
	Invoices *web.Mounted[invoice.Invoice]

	renderer  *pdf.Renderer
	rendered  *semaphore.Weighted // limits concurrent renderings
	sendsMail bool
	mailsOf   MailsOf
}

// MailsOf returns the emails about an invoice for its page.
type MailsOf func(*http.Request, *pgxpool.Pool, invoice.Invoice) (invoiceviews.InvoiceMails, error)

// Mount mounts invoices. sendsMail is set if a mail server is configured.
func Mount(s *web.Site, sendsMail bool, mailsOf MailsOf) *Pages {
	p := &Pages{
		site: s, renderer: pdf.New(), rendered: semaphore.NewWeighted(documentsAtOnce), sendsMail: sendsMail, mailsOf: mailsOf,
	}
	p.site.Home(homePath, "Home", p.home)
	p.mountInvoices()
	s.AddHint("customers", "Their invoices stay.")
	s.AddHint("erasures", "Issued invoices with the customer's details, and their payments, credit notes, write-offs and attachments, "+
		"because the law requires it. Invoices that were voided as drafts, archived recurring invoices and emails stay without their "+
		"texts and addresses.")
	s.AddHint("merges", "Issued invoices keep the name and address they were issued with.")
	sums := []templates.Column{{Label: "Open", Class: "amounts"}, {Label: "Overdue", Class: "amounts"}}
	s.AddColumns("customers", sums, p.sumsOfCustomers)
	s.AddHint("settings", "Your invoices show these details. Issued invoices keep the ones they were issued with.")
	s.ShowPrograms(clientPrograms())
	s.Decorate(func(_ *http.Request, page *templates.Page) {
		page.Slots.Promise = "Invoices that are never created twice, however often you click."
	})
	return p
}

// clientPrograms returns the programs in docs/api-client.md.
func clientPrograms() templates.Programs {
	programs := templates.Programs{About: "These programs do all of this. Each creates one invoice, even if responses get lost."}
	for _, name := range []string{"create.sh", "create.mjs", "main.go", "invoice.json"} {
		text, err := docs.Clients.ReadFile("api-client/" + name)
		if err != nil {
			panic(err) // can't happen: it is part of the program
		}
		programs.All = append(programs.All, templates.Program{Name: name, Text: string(text)})
	}
	return programs
}
