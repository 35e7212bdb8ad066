package mail

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	html "html/template"
	netmail "net/mail"
	"strings"
	"text/template"

	gomail "github.com/wneessen/go-mail"

	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/document"
)

//go:embed message.txt message.html void.txt
var files embed.FS

const day = "2 January 2006"

// Opening is what a mail about an invoice says above its lines, unless it has a message of its own.
func Opening(inv invoice.Invoice) string {
	return "Hello " + inv.Customer.Name + ",\n\n" + inv.Seller.Name + " has sent you the invoice " + inv.Number + " of " +
		inv.IssueDate.Time().Format(day) + "."
}

// letters make the two forms of what a mail says.
type letters struct {
	text *template.Template
	html *html.Template
	void *template.Template // the text of a mail about a void invoice, which has no other form
}

func parseLetters() (l letters, err error) {
	if l.text, err = template.ParseFS(files, "message.txt"); err != nil {
		return letters{}, fmt.Errorf("the text of mails: %w", err)
	}
	if l.html, err = html.ParseFS(files, "message.html"); err != nil {
		return letters{}, fmt.Errorf("the HTML of mails: %w", err)
	}
	if l.void, err = template.ParseFS(files, "void.txt"); err != nil {
		return letters{}, fmt.Errorf("the text about void invoices: %w", err)
	}
	return l, nil
}

// letter is what a mail says. Amounts have their currency: "1,234.50 EUR".
type letter struct {
	Issuer, Customer, Number, Issued, Due string
	Opening, Stays                        string // Stays is the number of the invoice that a duplicate was voided for, or ""
	Lines                                 []letterLine
	Total, Paid, Open                     string
	HasPayments, Attached                 bool
	Notes                                 string
}

type letterLine struct{ Description, Quantity, UnitPrice, Net string }

func letterOf(inv invoice.Invoice, issuer string) letter {
	amount := func(minor int64) string { return inv.Currency.Display(minor) + " " + inv.Currency.String() }
	l := letter{
		Opening: Opening(inv), Stays: inv.DuplicateOf.Name,
		Issuer: issuer, Customer: inv.Customer.Name, Number: inv.Number,
		Issued: inv.IssueDate.Time().Format(day), Due: inv.DueDate.Time().Format(day),
		Total: amount(inv.Total), Paid: amount(inv.Paid), Open: amount(inv.Open), HasPayments: inv.Paid > 0, Notes: inv.Notes,
	}
	for _, line := range inv.Lines {
		l.Lines = append(l.Lines, letterLine{
			line.Description, line.Quantity.String(), inv.Currency.Display(line.UnitPrice), amount(line.Net),
		})
	}
	return l
}

// message makes the message of a mail, and gives its text. Everything in its headers is encoded by go-mail, so that no
// name can add a header. It is the same at each attempt, but for what was paid meanwhile.
func (l letters) message(m Mail, inv invoice.Invoice, from netmail.Address, file []byte) (*gomail.Msg, string, error) {
	content := letterOf(inv, from.Name)
	content.Attached, content.Opening = file != nil, cmp.Or(m.Message, content.Opening)
	var text, page strings.Builder
	saying := l.text
	if m.Kind == KindVoid {
		saying = l.void
	}
	if err := saying.Execute(&text, content); err != nil {
		return nil, "", fmt.Errorf("write the text: %w", err)
	}
	if err := l.html.Execute(&page, content); err != nil {
		return nil, "", fmt.Errorf("write the HTML: %w", err)
	}
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	msg.FromMailAddress(&from)
	if err := msg.To(m.Recipient); err != nil {
		return nil, "", fmt.Errorf("address the message: %w", err)
	}
	msg.Subject(m.Subject)
	msg.SetMessageIDWithValue(m.MessageID)
	msg.SetDateWithValue(m.CreatedAt)
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.SetBodyString(gomail.TypeTextPlain, text.String())
	if m.Kind != KindVoid {
		msg.AddAlternativeString(gomail.TypeTextHTML, page.String())
	}
	if content.Attached {
		msg.AttachReadSeeker(document.Name(inv), bytes.NewReader(file), gomail.WithFileContentType("application/pdf"))
	}
	return msg, text.String(), nil
}
