package mailer

import (
	"bytes"
	"fmt"
	netmail "net/mail"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// Letter is a mail as it is sent. It is the same at each attempt, as far as it can be.
type Letter struct {
	// From is the name that the sender has in it.
	From, To, Subject string
	ReplyTo           string // an email address; "" for the sender's
	MessageID         string // without angle brackets
	Date              time.Time
	Text              string
	HTML              string // "" for none
	File              []byte // a PDF file that is attached; nil for none
	FileName          string
	// Demo is set for a tenant of the demo, whose mails go nowhere.
	Demo bool
}

// message makes the message of a letter. Everything in its headers is encoded by go-mail, so that no name can add a header.
func (l Letter) message(sender string) (*gomail.Msg, error) {
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	msg.FromMailAddress(&netmail.Address{Name: l.From, Address: sender})
	if err := msg.To(l.To); err != nil {
		return nil, fmt.Errorf("address the message: %w", err)
	}
	if l.ReplyTo != "" {
		msg.ReplyToMailAddress(&netmail.Address{Name: l.From, Address: l.ReplyTo})
	}
	msg.Subject(l.Subject)
	msg.SetMessageIDWithValue(l.MessageID)
	msg.SetDateWithValue(l.Date)
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.SetBodyString(gomail.TypeTextPlain, l.Text)
	if l.HTML != "" {
		msg.AddAlternativeString(gomail.TypeTextHTML, l.HTML)
	}
	if l.File != nil {
		msg.AttachReadSeeker(l.FileName, bytes.NewReader(l.File), gomail.WithFileContentType("application/pdf"))
	}
	return msg, nil
}
