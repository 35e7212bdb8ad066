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
	RemoveHref string // asks before it is removed; empty if that is not possible
}

// RemoveAttachment is the page that asks before an attachment is removed.
type RemoveAttachment struct {
	templates.Form

	Number, Href string // the invoice's number and page
	Name         string
	Removed      bool // it was already removed
}
