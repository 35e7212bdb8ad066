// Package pdf renders an invoice, a credit note or a statement as a PDF 1.7 file. It takes a flat [Document] with formatted texts, and is
// independent of HTTP, the database and money.
//
// The same document always results in the same bytes: the file contains nothing from the clock, randomness or the order of a map, and all
// positions are integers.
//
// github.com/go-text/typesetting shapes the texts and breaks them into lines. The file itself is written here (file.go, glyphs.go,
// subset.go), because the available libraries put the time into the file or can't map a glyph of a complex script to its text in the text
// layer.
package pdf
