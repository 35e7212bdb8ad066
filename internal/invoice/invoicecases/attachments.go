package invoicecases

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"net/url"

	"onlyonce/internal/invoice/attachment"
	"onlyonce/internal/invoice/logo"
	"onlyonce/internal/site/sitetest"
)

// Attachments are files of an invoice.
func Attachments() sitetest.Resource {
	command := url.Values{"file": {sitetest.FileValue("order.pdf", "%PDF-1.4 two posters")}}
	return sitetest.Resource{
		Name: "attachment", Path: "/attachments", Parent: &sitetest.Parent{Resource: Invoices()},
		Words:   sitetest.Words{Verb: "attach", Past: "attached", Button: "Attach file", Told: "File attached."},
		Command: command, Label: "order.pdf",
		Leaves: sitetest.Rows{"attachments": 1, "file_contents": 1, "intents": 1, "intent_effects": 1},
		Other:  url.Values{"file": {sitetest.FileValue("order.pdf", "%PDF-1.4 three posters")}},
		Fields: []sitetest.Field{{
			Name: "file", Valid: sitetest.FileValue("draft.pdf", "%PDF-1.4 two posters"),
			Invalid: sitetest.FileValue("order.pdf", "<!DOCTYPE html><script>"), Pointer: "/file",
		}},
		Uniques: []sitetest.Unique{{
			Field: "file", Slug: "file-attached",
			Value: sitetest.FileValue("a.txt", "the same"), Free: sitetest.FileValue("a.txt", "another"),
		}},
		Transitions: []sitetest.Transition{{Verb: "remove", Past: "removed", Leaves: sitetest.Rows{"intent_effects": 1}}},
		OfCustomer: map[string]string{
			"attachments.file_name": "kept with the invoice", "file_contents.content": "kept with the invoice",
		},
		API: sitetest.API{Encode: func(form url.Values) string {
			return sitetest.Encode(map[string]any{"file": sitetest.FileJSON(form.Get("file"))})
		}, Input: attachment.Input{}},
	}
}

// PNG returns a PNG file of an image in one color.
func PNG(width, height int, c color.Color) string {
	picture := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range width * height {
		picture.Set(i%width, i/width, c)
	}
	var content bytes.Buffer
	if err := png.Encode(&content, picture); err != nil {
		panic(err)
	}
	return content.String()
}

// Logos replace each other.
func Logos() sitetest.Resource {
	red, blue := PNG(3, 2, color.NRGBA{200, 0, 0, 255}), PNG(3, 2, color.NRGBA{0, 0, 200, 128})
	command := url.Values{"file": {sitetest.FileValue("logo.png", red)}}
	return sitetest.Resource{
		Name: "logo", Path: "/logos", Words: sitetest.Words{Verb: "upload", Past: "uploaded"},
		Command: command, Label: "logo.png",
		Leaves: sitetest.Rows{"logos": 1, "file_contents": 1, "intents": 1},
		Other:  url.Values{"file": {sitetest.FileValue("other.png", blue)}},
		Fields: []sitetest.Field{{
			Name: "file", Valid: sitetest.FileValue("blue.png", blue), Invalid: sitetest.FileValue("logo.png", "GIF89a"), Pointer: "/file",
		}},
		Transitions: []sitetest.Transition{{Verb: "remove", Past: "removed"}},
		API: sitetest.API{Encode: func(form url.Values) string {
			return sitetest.Encode(map[string]any{"file": sitetest.FileJSON(form.Get("file"))})
		}, Input: logo.Input{}},
	}
}
