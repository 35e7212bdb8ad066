package torture

import (
	"onlyonce/internal/file"
	"onlyonce/internal/invoice/attachment"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/invoice/logo"
	"onlyonce/internal/must"
)

// fileRecords creates an invoice with a logo and three attachments, and removes one of these. The logo is replaced, and the second is
// removed before there is a third.
func fileRecords(b *invoicetest.Bundle) {
	b.Helper()
	upload := func(key string) logo.Logo {
		draft, err := logo.Input{File: file.Input{Name: key + ".png", Content: picture(key)}}.Draft()
		must.OK(b, err)
		done, err := logo.Create.Do(b.Context(), b.Store, b.Intent(key), draft)
		must.OK(b, err)
		return done.Value
	}
	upload("first")
	inv := b.Issued("i")
	b.OK(logo.Remove.Do(b.Context(), b.Store, b.Of("remove", upload("second").ID, 0), struct{}{}))
	upload("last")
	for _, content := range []string{"a", "b", "c"} {
		draft, err := attachment.Input{File: file.Input{Name: "a.txt", Content: []byte(content)}}.Draft(inv.ID)
		must.OK(b, err)
		done, err := attachment.Create.Do(b.Context(), b.Store, b.Intent(content), draft)
		must.OK(b, err)
		if content == "c" {
			b.OK(attachment.Remove.Do(b.Context(), b.Store, b.Of("c", done.Value.ID, 0), struct{}{}))
		}
	}
}
