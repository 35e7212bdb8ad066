package invoiceviews

import "onlyonce/templates"

// MailTexts are the subjects and texts of emails on their page, filled in for an example.
type MailTexts struct {
	templates.RecordView

	Parts []MailText
}

// MailTextsForm is the form of the subjects and texts, whose parts have the standard ones.
type MailTextsForm struct {
	templates.Form

	Parts []MailText
}

// MailText is the subject and the text of a kind of emails.
type MailText struct {
	Field         string // the beginning of the names of the fields
	Name          string // "Credit note"
	Subject, Text string
	Placeholders  string // for a sentence
	Standard      bool   // whether both are the standard ones
}
