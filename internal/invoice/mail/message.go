package mail

import (
	"embed"
	"fmt"
	html "html/template"
	"strconv"
	"strings"
	"text/template"

	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/credit"
	"onlyonce/internal/invoice/document"
	"onlyonce/internal/invoice/pdf"
	"onlyonce/internal/mailer"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/party"
)

//go:embed message.txt message.html reminder.txt void.txt credit_note.txt
var files embed.FS

const day = "2 January 2006"

// letters has the templates of mails.
type letters struct {
	text *template.Template
	html *html.Template
	// Reminders, credit notes and mails about a void invoice have a text only.
	reminder, void, credit *template.Template
}

func parseLetters() (l letters, err error) {
	if l.text, err = template.ParseFS(files, "message.txt"); err != nil {
		return letters{}, fmt.Errorf("the text of mails: %w", err)
	}
	if l.html, err = html.ParseFS(files, "message.html"); err != nil {
		return letters{}, fmt.Errorf("the HTML of mails: %w", err)
	}
	if l.reminder, err = template.ParseFS(files, "reminder.txt"); err != nil {
		return letters{}, fmt.Errorf("the text of reminders: %w", err)
	}
	if l.void, err = template.ParseFS(files, "void.txt"); err != nil {
		return letters{}, fmt.Errorf("the text about void invoices: %w", err)
	}
	if l.credit, err = template.ParseFS(files, "credit_note.txt"); err != nil {
		return letters{}, fmt.Errorf("the text of credit notes: %w", err)
	}
	return l, nil
}

// letter is the content of a mail. Amounts have their currency: "1,234.50 EUR".
type letter struct {
	Issuer, Number, Issued, Due string
	Introduction                string // with the greeting
	Message                     string // the sender's text below the invoice; "" for none
	Late                        string // the time between the due day and a reminder, "12 days"
	Reason                      string // of a credit note
	Became                      string // the customer's credit from a credit note, or from the reversed one; "" for none
	Stays                       string // the number of the invoice that a duplicate was voided for, or ""
	Lines                       []letterLine
	Total, Open                 string
	Settled                     []pdf.Fact // the amounts between the total and the open amount
	Logo, Taxed                 bool
	Reversal                    bool   // whether it takes a credit note back
	Attached                    string // "as a PDF file"; "" for nothing
	Notes                       string
	Payment                     []pdf.Fact // the bank account, if it is known and an amount is open
}

// Types of attached files.
const (
	pdfType = "application/pdf"
	xmlType = "application/xml"
)

type letterLine struct{ Description, Quantity, UnitPrice, Discount, Net string }

func letterOf(inv invoice.Invoice) letter {
	amount := func(minor int64) string { return inv.Currency.Display(minor) + " " + inv.Currency.String() }
	l := letter{
		Stays:  inv.DuplicateOf.Name,
		Issuer: inv.Seller.Name, Number: inv.Number,
		Issued: inv.IssueDate.Time().Format(day), Due: inv.DueDate.Time().Format(day),
		Total: amount(inv.Total), Open: amount(inv.Open), Taxed: inv.TaxTotal > 0, Notes: inv.Notes,
	}
	for _, of := range []struct {
		label  string
		amount int64
	}{
		{"Paid", inv.Received()}, {"Became your credit", -inv.BecameCredit}, {"Credited", inv.Credited}, {"Written off", inv.WrittenOff},
	} {
		if of.amount != 0 {
			l.Settled = append(l.Settled, pdf.Fact{Label: of.label, Value: amount(of.amount)})
		}
	}
	if inv.Open > 0 {
		l.Payment = document.Payment(inv)
	}
	for _, line := range inv.Lines {
		l.Lines = append(l.Lines, letterLine{
			line.Description, line.QuantityText(), inv.Currency.DisplayPrice(line.UnitPrice), line.LessText(inv.Currency), amount(line.Net),
		})
	}
	return l
}

// source has a mail and the records that it is written from.
type source struct {
	Mail

	invoice invoice.Invoice
	note    credit.Note // zero for a mail about something else
	logo    pdf.Image   // zero for none
}

// write composes a mail. It is the same in each attempt, except for payments made meanwhile.
func (l letters) write(m source, files []mailer.File) (mailer.Letter, error) {
	content := letterOf(m.invoice)
	content.Introduction, content.Message, content.Logo = m.Opening(m.invoice), m.Message, m.logo.Content != nil
	if content.Introduction == "" {
		_, standard := Standard(m.Kind)
		content.Introduction = Fill(standard, m.invoice, m.note)
	}
	var attached []string
	for _, f := range files {
		as := "as a PDF file"
		if f.Type == xmlType {
			as = "as an e-invoice (XML)"
		}
		attached = append(attached, as)
	}
	content.Attached = strings.Join(attached, " and ")
	var text, page strings.Builder
	saying := l.text
	switch {
	case m.Kind == KindVoid:
		saying = l.void
	case m.Kind == KindCreditNote, m.Kind == KindReversal:
		saying, content.Reason, content.Reversal = l.credit, m.note.Reason, m.Kind == KindReversal
		if became := max(m.note.BecameCredit, -m.note.BecameCredit); became != 0 {
			content.Became = m.note.Currency.Display(became) + " " + m.note.Currency.String()
		}
	case m.Level() > 0:
		saying, content.Late = l.reminder, party.DaysText(strconv.Itoa(m.invoice.DueDate.DaysUntil(date.Of(m.CreatedAt.UTC()))))
	}
	if err := saying.Execute(&text, content); err != nil {
		return mailer.Letter{}, fmt.Errorf("write the text: %w", err)
	}
	if saying == l.text {
		if err := l.html.Execute(&page, content); err != nil {
			return mailer.Letter{}, fmt.Errorf("write the HTML: %w", err)
		}
	}
	var copies []string
	if m.Copies != "" {
		copies = strings.Split(m.Copies, ", ")
	}
	return mailer.Letter{
		Copies: copies,
		From:   m.invoice.Seller.Name, ReplyTo: m.invoice.Seller.Email, To: m.Recipient, Subject: m.Subject, MessageID: m.MessageID,
		Date: m.CreatedAt, Text: text.String(), HTML: page.String(), Files: files,
		Image: m.logo.Content, ImageType: m.logo.Type, ImageName: m.invoice.Seller.Logo.Name,
	}, nil
}
