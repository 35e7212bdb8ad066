package pdf_test

import (
	"strings"
	"testing"

	"onlyonce/internal/invoice/pdf"
)

// largest returns a document that is larger than the app allows.
func largest() pdf.Document {
	inv := example()
	inv.Lines = nil
	for range 200 {
		inv.Lines = append(inv.Lines, pdf.Line{
			Description: strings.Repeat("क्षत्रिय abc ", 500/12), Quantity: "999999999.999999",
			UnitPrice: "90,071,992,547,409.91", TaxRate: "99.999%", Amount: "90,071,992,547,409.91",
		})
	}
	for range 200 {
		inv.Totals = append(inv.Totals, pdf.Total{Label: "Tax 99.999% on 90,071,992,547,409.91", Amount: "90,071,992,547,409.91"})
	}
	inv.Notes = strings.Repeat("a\n", 2500)
	return inv
}

func BenchmarkRender(b *testing.B) {
	breaks := largest()
	for i := range breaks.Lines {
		breaks.Lines[i].Description = strings.Repeat("a\n", 250)
	}
	for name, inv := range map[string]pdf.Document{"usual": example(), "largest": largest(), "line breaks only": breaks} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var file []byte
			for b.Loop() {
				file = render(b, inv)
			}
			b.ReportMetric(float64(len(file)), "bytes/file")
			b.ReportMetric(float64(len(pages(b, file))), "pages")
		})
	}
}
