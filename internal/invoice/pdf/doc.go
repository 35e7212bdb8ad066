// Package pdf renders an invoice or a credit note as a PDF 1.7 file. It takes a flat [Document] whose texts are ready to be shown, and
// knows nothing of HTTP, the database or money.
//
// The same invoice gives the same bytes: nothing in the file comes from the clock, from chance or from the order of a
// map, and all positions are integers.
//
// github.com/go-text/typesetting shapes the texts and breaks them into lines. The file itself is written here (file.go,
// glyphs.go, subset.go), because the libraries at hand put the time into the file or cannot say in the text layer what
// a glyph of a complex script stands for.
package pdf
