package pdf_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"image"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	reader "github.com/ledongthuc/pdf"

	"onlyonce/internal/assert"
	"onlyonce/internal/invoice/pdf"
	"onlyonce/internal/invoice/pdf/pdftest"
	"onlyonce/internal/must"
)

var update = flag.Bool("update", false, "write the golden files anew")

// renderer reads the fonts once for all tests, as a server does.
var renderer = sync.OnceValue(pdf.New)

func render(t testing.TB, inv pdf.Document) []byte {
	t.Helper()
	file, err := renderer().Render(inv)
	must.OK(t, err)
	return file
}

// TestTextLayer compares the text layer with testdata/example.txt.
func TestTextLayer(t *testing.T) {
	t.Parallel()
	const golden = "testdata/example.txt"
	got := strings.Join(pdftest.Pages(t, render(t, example())), "\f")
	if *update {
		must.OK(t, os.WriteFile(golden, []byte(got), 0o600))
	}
	want := must.Read(t, golden)
	assert.Thatf(t, got == want,
		"the text layer is\n%s\nwant\n%s\nIf that is intended, run go test ./internal/invoice/pdf -update.", got, want)
}

// TestBuyerIsInTheWindow checks that the name of the buyer is in the window of a DIN 5008 envelope, for short and long sellers.
func TestBuyerIsInTheWindow(t *testing.T) {
	t.Parallel()
	long := example()
	long.Seller.Name, long.Seller.Address = strings.Repeat("A long name ", 12), []string{strings.Repeat("A long street ", 12)}
	long.Logo = pngOf(t, image.NewGray(image.Rect(0, 0, 400, 132)))
	for name, shown := range map[string]pdf.Document{"short": example(), "long, with a logo": long} {
		shown.Buyer.Name = "Buyer"
		file := render(t, shown)
		r, err := reader.NewReader(bytes.NewReader(file), int64(len(file)))
		must.OK(t, err)
		texts := r.Page(1).Content().Text
		at := slices.IndexFunc(texts, func(at reader.Text) bool { return at.S == "B" && at.FontSize == 11 })
		must.Thatf(t, at >= 0, "%s: no name", name)
		const millimetre = 72 / 25.4
		x, y := texts[at].X/millimetre, 297-texts[at].Y/millimetre
		assert.Thatf(t, x > 20 && x < 25 && y > 50 && y < 57, "%s: %.1f mm from the left and %.1f from the top", name, x, y)
	}
}

// TestSameBytes checks that the same document results in the same file at any time, concurrently, and in another process.
func TestSameBytes(t *testing.T) {
	t.Parallel()
	sums := make([]string, 8)
	var wait sync.WaitGroup
	for i := range sums {
		wait.Go(func() { sums[i] = sum(render(t, example())) })
	}
	wait.Wait()
	other := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestPrintSum$", "-test.v")
	other.Env = append(os.Environ(), "PDF_TEST_PRINT_SUM=1")
	output, err := other.CombinedOutput()
	must.Thatf(t, err == nil, "%v: %s", err, output)
	for i, got := range sums {
		assert.Thatf(t, got == sums[0], "rendering %d has sum %s, and the first one %s", i, got, sums[0])
	}
	assert.Thatf(t, strings.Contains(string(output), sums[0]), "another process does not print %s but\n%s", sums[0], output)
}

// TestPrintSum is the other process of TestSameBytes.
func TestPrintSum(t *testing.T) {
	t.Parallel()
	if os.Getenv("PDF_TEST_PRINT_SUM") != "" {
		t.Log(sum(render(t, example())))
	}
}

func sum(file []byte) string {
	sum := sha256.Sum256(file)
	return hex.EncodeToString(sum[:])
}

// TestManyLines checks that 200 lines take several pages, each with the head of the table, the footer, the title,
// its number and the mark.
func TestManyLines(t *testing.T) {
	t.Parallel()
	inv := example()
	inv.Mark, inv.Lines = "DRAFT", nil
	for i := range 200 {
		inv.Lines = append(inv.Lines, pdf.Line{Text: fmt.Sprintf("Position %03d.", i), Cells: []string{"1", "1.00", "23%", "1.00"}})
	}
	all := pdftest.Pages(t, render(t, inv))
	must.Thatf(t, len(all) >= 4 && len(all) <= 8, "%d pages", len(all))
	for i, text := range all {
		for _, want := range []string{fmt.Sprintf("Page %d of %d", i+1, len(all)), "DRAFT"} {
			assert.Thatf(t, strings.Count(text, want) == 1, "page %d has %q %d times:\n%s", i+1, want, strings.Count(text, want), text)
		}
		if want := "KRS 0000123456\nZarząd: Ada Żółw\nInvoice 2026-0042\nPage"; strings.Count(text, want) != 1 {
			t.Errorf("page %d doesn't end with %q:\n%s", i+1, want, text)
		}
		assert.Equal(t, strings.Contains(text, "Unit price"), strings.Contains(text, "Position"), i+1, text, "head of the table")
	}
	whole := strings.Join(all, "")
	for i := range 200 {
		want := fmt.Sprintf("Position %03d.", i)
		assert.Thatf(t, strings.Count(whole, want) == 1, "%q stands there %d times", want, strings.Count(whole, want))
	}
}

// TestBankAccountIsBesideTheTotal checks with any number of lines that the bank account is on the page of the amount to pay.
func TestBankAccountIsBesideTheTotal(t *testing.T) {
	t.Parallel()
	shown := example()
	shown.Reasons, shown.Payment = []string{strings.Repeat("A long reason. ", 20)}, []pdf.Fact{{Label: "IBAN", Value: "PL61 1090"}}
	moved := 0
	for range 60 {
		shown.Lines = append(shown.Lines, pdf.Line{Text: "Position", Cells: []string{"1", "1.00", "23%", "1.00"}})
		for i, text := range pdftest.Pages(t, render(t, shown)) {
			has := strings.Contains(text, shown.Payment[0].Value)
			assert.Equal(t, has, strings.Contains(text, shown.Totals[0].Label+"\n"), len(shown.Lines), "lines, page", i+1)
			if has && !strings.Contains(text, "Position") {
				moved++
			}
		}
	}
	assert.Thatf(t, moved > 0, "no totals begin a page")
}

// TestLongDescription checks that no part of 2000 characters is lost, with or without spaces, even across pages.
func TestLongDescription(t *testing.T) {
	t.Parallel()
	for name, word := range map[string]string{"words": "consulting ", "one word": "x", "one long Hindi word": "क्षत्रिय"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inv := example()
			long := strings.Repeat(word, 2000/len([]rune(word)))
			inv.Lines = append(inv.Lines, pdf.Line{Text: long}, pdf.Line{Text: long})
			text := strings.Join(pdftest.Pages(t, render(t, inv)), "")
			want := 2 * strings.Count(long, strings.TrimSpace(word))
			got := strings.Count(strings.ReplaceAll(text, "\n", ""), strings.TrimSpace(word))
			assert.Thatf(t, got >= want, "%d of %d are there", got, want)
		})
	}
}

// TestMissingCharacters checks that a character that the fonts lack is shown as a replacement, and kept in the text layer.
func TestMissingCharacters(t *testing.T) {
	t.Parallel()
	inv := example()
	inv.Lines[0].Text = "\u6f22\u5b57 and שלום and 😀"
	text := pdftest.Pages(t, render(t, inv))[0]
	assert.Thatf(t, strings.Contains(text, inv.Lines[0].Text), "the text layer has no %q:\n%s", inv.Lines[0].Text, text)
}

// largest returns a document that is larger than the app allows.
func largest() pdf.Document {
	inv := example()
	inv.Lines = nil
	for range 200 {
		inv.Lines = append(inv.Lines, pdf.Line{
			Text:  strings.Repeat("क्षत्रिय abc ", 500/12),
			Cells: []string{"999999999.999999", "90,071,992,547,409.91", "99.999%", "90,071,992,547,409.91"},
		})
	}
	for range 200 {
		inv.Totals = append(inv.Totals, pdf.Total{Label: "Tax 99.999% on 90,071,992,547,409.91", Amount: "90,071,992,547,409.91"})
	}
	inv.Notes.Value = strings.Repeat("a\n", 2500)
	return inv
}

func BenchmarkRender(b *testing.B) {
	breaks := largest()
	for i := range breaks.Lines {
		breaks.Lines[i].Text = strings.Repeat("a\n", 250)
	}
	for name, inv := range map[string]pdf.Document{"usual": example(), "largest": largest(), "line breaks only": breaks} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var file []byte
			for b.Loop() {
				file = render(b, inv)
			}
			b.ReportMetric(float64(len(file)), "bytes/file")
			b.ReportMetric(float64(len(pdftest.Pages(b, file))), "pages")
		})
	}
}

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
			Title: text, Mark: text, Seller: party, Buyer: party, Facts: []pdf.Fact{{Label: text, Value: text}}, Currency: text,
			Head: pdf.Line{Text: text, Cells: []string{text}}, Lines: []pdf.Line{{text, text, []string{text}}, {Text: text}},
			Totals: []pdf.Total{{Label: text, Amount: text}, {Label: text, Amount: text, Grand: true}},
			Notes:  pdf.Fact{Label: text, Value: text},
		})
		assert.Thatf(t, len(pdftest.Pages(t, file)) != 0, "no page")
	})
}
