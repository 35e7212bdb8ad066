package pdf_test

import (
	"strings"
	"testing"

	"onlyonce/internal/invoice/pdf"
	"onlyonce/internal/must"
)

// FuzzRender checks that a document with any text can be rendered, and read.
func FuzzRender(f *testing.F) {
	for _, text := range []string{
		"", " ", "Design", "क्षत्रिय", "\u0915\u094d\u200d", "\u094d\u0300\u0301", "a\u0300\u0301\u0302", "שלום", "\u6f22\u5b57", "👩‍👩‍👧",
		"\x00\xff\xfe", "\u202eabc", "\n\n\t\r", "\ufeff\ufffe\uffff", strings.Repeat("W", 3000), strings.Repeat("\u0301", 500),
		strings.Repeat("a ", 800), "\U0010ffff", "﷽", "ﷺ", "ффи", "\u00ad", "\u2028x\u2029", "(\\)<>[]{}/%",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 10_000 {
			return
		}
		party := pdf.Party{Name: text, Address: []string{text, text}, TaxID: text, Email: text}
		file := render(t, pdf.Document{
			Title: text, Role: text, Mark: text, Seller: party, Buyer: party, Facts: []pdf.Fact{{Label: text, Value: text}}, Currency: text,
			Lines:  []pdf.Line{{text, text, text, text, text}, {Description: text}},
			Totals: []pdf.Total{{Label: text, Amount: text}, {Label: text, Amount: text, Grand: true}}, Notes: text,
		})
		must.Holdf(t, len(pages(t, file)) != 0, "no page")
	})
}
