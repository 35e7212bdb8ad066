// Package logopages has the pages and the API of logos.
package logopages

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"net/http"

	"github.com/a-h/templ"

	"onlyonce/internal/file"
	"onlyonce/internal/invoice/logo"
	"onlyonce/internal/record"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

// Mount mounts the resource of package logo among the settings.
func Mount(s *web.Site) {
	m := web.Resource[logo.Logo]{
		One: "logo", Path: "/logos", Tab: "Logo", Table: logo.Table, Rules: logo.Rules(),
		Name: func(l logo.Logo) string { return l.File.Name },
	}.Mount(s.Within("settings"))
	form := web.PlainForm([]web.PlainField[logo.Logo]{{
		Name: "file", Label: "File", Kind: templates.File, File: logo.Rule(),
		Hint: fmt.Sprintf("At most %d × %d pixels. Your invoices and emails show it. Issued invoices keep the one they were issued with.",
			logo.MaxPixels, logo.MaxPixels),
	}})
	form.Example = logo.Input{File: file.Input{Name: "logo.png", Content: example()}}
	form.Words = &web.Wording{
		Title: "Upload a logo", Submit: "Upload logo", Did: "uploaded", Does: "uploads", Again: "Upload another logo",
		Created: "Logo %s uploaded.", Replayed: "Logo uploaded. We ignored the duplicate submission and kept your first request.",
	}
	draft := web.NewForm(m, logo.Input.Draft, form)
	web.List(m, web.Listing[logo.Logo]{
		Summary: "The logos of your business, newest first. One at most was not removed or replaced.",
		Read: func(r *http.Request, page record.Page) (record.List[logo.Logo], error) {
			return logo.List(r.Context(), s.Pool, web.Principal(r).Tenant, page)
		},
		Columns: []templates.Column{{Label: "File", Class: "name"}, {Label: "Uploaded", Class: "date"}, {Label: "State", Class: "name"}},
		Row: func(r *http.Request, l logo.Logo) []string {
			return []string{l.File.Name, web.Day(r, l.CreatedAt), state(r, l)}
		},
		Empty: "A logo is shown on your invoices, in their PDF files and in emails.",
	})
	web.Show(m, web.RecordPage[logo.Logo]{
		Summary: "One logo, without the content of its file.",
		Facts: func(r *http.Request, l logo.Logo) []templates.Fact {
			return []templates.Fact{
				{Label: "Type", Value: l.File.Type}, {Label: "Uploaded", Value: web.Day(r, l.CreatedAt)},
				{Label: "State", Value: state(r, l)},
			}
		},
		Actions: func(l logo.Logo) []string {
			if !l.RemovedAt.IsZero() {
				return nil
			}
			return []string{"remove"}
		},
		Page: func(r *http.Request, p templates.Page, l logo.Logo) (templ.Component, error) {
			return invoiceviews.LogoPage(p, web.RecordView(m, r, l), m.URL(l.ID)+"/file"), nil
		},
	})
	web.Create(m, "Upload a logo: "+logo.Rule().String()+". It replaces the earlier one.", logo.Create, draft, nil)
	web.Transition(m, "remove", "removed", "Remove a logo. Drafts don't show it any more, and issued invoices keep it.", logo.Remove,
		web.Nothing())
	web.Stored(m, "file", "The file of a logo.", logo.Rule(), func(l logo.Logo) file.Stored { return l.File })
}

// state returns the state of a logo for people.
func state(r *http.Request, l logo.Logo) string {
	if l.RemovedAt.IsZero() {
		return "In use"
	}
	return "Not in use since " + web.Day(r, l.RemovedAt)
}

// example returns the smallest logo.
func example() []byte {
	var content bytes.Buffer
	_ = png.Encode(&content, image.NewGray(image.Rect(0, 0, 1, 1))) // memory never fails
	return content.Bytes()
}
