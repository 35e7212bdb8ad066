package invoiceviews

import "onlyonce/templates"

// AttachmentFormView is the form that attaches a file.
type AttachmentFormView struct {
	templates.Form

	Number, Href string // of the invoice
	Takes        string // a hint about the files that it takes
	Accept       string // see [templates.FileField]
}

// Attachments are the files of an invoice, on its page.
type Attachments struct {
	Rows    []Attachment
	More    bool   // whether there are older ones
	NewHref string // attaches a file; empty if that is not possible
}

// Attachment is a file of an invoice.
type Attachment struct {
	Name, Href string
	Size       string // "12 KiB"
	Day        string // of the upload
}
