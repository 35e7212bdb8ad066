package mailer

import (
	"bytes"
	"fmt"
	netmail "net/mail"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// Letter is the content of a mail. It is the same in each attempt, as far as possible.
type Letter struct {
	// From is the display name of the sender.
	From, To, Subject string
	Copies            []string // email addresses; nil for none
	ReplyTo           string   // an email address; "" means the sender
	MessageID         string   // without angle brackets
	Date              time.Time
	Text              string
	HTML              string // "" for none
	Files             []File
	// Image is a picture that the HTML shows from the address cid:image; nil for none.
	Image                []byte
	ImageType, ImageName string
	// Demo is set for a tenant of the demo, whose mails are never sent.
	Demo bool
}

// File is an attached file.
type File struct {
	Name, Type string // Type is its media type
	Content    []byte
}

// message returns the message of a letter. go-mail encodes everything in the headers, so that no name can add a header.
func (l Letter) message(sender string) (*gomail.Msg, error) {
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	msg.FromMailAddress(&netmail.Address{Name: l.From, Address: sender})
	if err := msg.To(l.To); err != nil {
		return nil, fmt.Errorf("address the message: %w", err)
	}
	if err := msg.Cc(l.Copies...); err != nil {
		return nil, fmt.Errorf("address the copies: %w", err)
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
	if l.Image != nil {
		msg.EmbedReadSeeker(l.ImageName, bytes.NewReader(l.Image), gomail.WithFileContentID("<image>"),
			gomail.WithFileContentType(gomail.ContentType(l.ImageType)))
	}
	for _, f := range l.Files {
		msg.AttachReadSeeker(f.Name, bytes.NewReader(f.Content), gomail.WithFileContentType(gomail.ContentType(f.Type)))
	}
	return msg, nil
}
