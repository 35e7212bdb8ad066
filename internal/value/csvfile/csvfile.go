// Package csvfile reads and writes tables as comma-separated values (RFC 4180), in the encodings and with the separators that
// spreadsheets use.
package csvfile

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/transform"
)

// Encoding is the encoding of a file.
type Encoding string

// The encodings.
const (
	UTF8        Encoding = "utf-8"
	UTF8Marked  Encoding = "utf-8-bom" // begins with a byte order mark
	Windows1252 Encoding = "windows-1252"
)

// Separator is the character between two fields.
type Separator string

// The separators.
const (
	Comma     Separator = "comma"
	Semicolon Separator = "semicolon"
	Tab       Separator = "tab"
)

func (s Separator) rune() rune {
	switch s {
	case Semicolon:
		return ';'
	case Tab:
		return '\t'
	default:
		return ','
	}
}

// Format is how a file is written.
type Format struct {
	Encoding  Encoding
	Separator Separator
}

// byteOrderMark lets spreadsheets read a file as UTF-8.
const byteOrderMark = "\uFEFF"

// MaxField is the maximum length of a field in bytes.
const MaxField = 10_000

// Error is a mistake in a file.
type Error struct {
	Line    int // from 1
	Problem string
}

func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Problem) }

// Detect returns the format of a file: UTF-8 if its bytes are valid, and the separator with which the first row has the most fields.
func Detect(content []byte) Format {
	f := Format{Encoding: Windows1252}
	switch {
	case bytes.HasPrefix(content, []byte(byteOrderMark)):
		f.Encoding = UTF8Marked
	case utf8.Valid(content):
		f.Encoding = UTF8
	}
	f.Separator = Comma
	most := 1
	for _, separator := range []Separator{Tab, Semicolon, Comma} {
		first, _, _ := NewReader(bytes.NewReader(content), Format{f.Encoding, separator}).Next()
		if len(first) > most {
			most, f.Separator = len(first), separator
		}
	}
	return f
}

// Reader reads a file row by row.
type Reader struct {
	csv   *csv.Reader
	first bool
}

// NewReader returns a reader of a file with a format.
func NewReader(content io.Reader, f Format) *Reader {
	if f.Encoding == Windows1252 {
		content = charmap.Windows1252.NewDecoder().Reader(content)
	}
	r := &Reader{csv.NewReader(content), true}
	r.csv.Comma, r.csv.FieldsPerRecord = f.Separator.rune(), -1
	return r
}

// Next returns the fields of the next row that has any text, without spaces around them, and the line where it begins. The error is
// [io.EOF] at the end of the file, an [*Error], or that of the file.
func (r *Reader) Next() (fields []string, line int, err error) {
	for {
		fields, err = r.csv.Read()
		if wrong, ok := errors.AsType[*csv.ParseError](err); ok {
			return nil, wrong.StartLine, &Error{wrong.StartLine, problemOf(wrong)}
		}
		if err != nil {
			return nil, 0, err //nolint:wrapcheck // io.EOF must stay one
		}
		line, _ = r.csv.FieldPos(0)
		if r.first {
			fields[0] = strings.TrimPrefix(fields[0], byteOrderMark)
			r.first = false
		}
		blank := true
		for i, text := range fields {
			switch {
			case strings.ContainsRune(text, 0):
				return nil, line, &Error{line, "This is no text. Save the table as CSV in UTF-8."}
			case !utf8.ValidString(text):
				return nil, line, &Error{line, "This isn't UTF-8. Choose another encoding."}
			case len(text) > MaxField:
				return nil, line, &Error{line, fmt.Sprintf("A field has more than %d characters. Is a quotation mark missing?", MaxField)}
			}
			fields[i] = fused(strings.TrimSpace(text))
			blank = blank && fields[i] == ""
		}
		if !blank {
			return fields, line, nil
		}
	}
}

func problemOf(err *csv.ParseError) string {
	if errors.Is(err, csv.ErrBareQuote) {
		return "A quotation mark is inside a field. Put the field in quotation marks, and write that one twice."
	}
	return "A field begins with a quotation mark that isn't closed, or has text after it."
}

// Writer writes a file.
type Writer struct {
	csv  *csv.Writer
	end  io.Closer
	lack func(rune) bool // reports whether the encoding lacks a character
}

// NewWriter returns a writer of a file with a format. A character that the encoding lacks becomes a question mark.
func NewWriter(to io.Writer, f Format) (*Writer, error) {
	w := &Writer{end: io.NopCloser(nil), lack: func(rune) bool { return false }}
	switch f.Encoding {
	case Windows1252:
		encoded := transform.NewWriter(to, charmap.Windows1252.NewEncoder())
		to, w.end = encoded, encoded
		w.lack = func(r rune) bool {
			_, has := charmap.Windows1252.EncodeRune(r)
			return !has
		}
	case UTF8Marked:
		if _, err := io.WriteString(to, byteOrderMark); err != nil {
			return nil, fmt.Errorf("write CSV: %w", err)
		}
	case UTF8:
	}
	w.csv = csv.NewWriter(to)
	w.csv.Comma, w.csv.UseCRLF = f.Separator.rune(), true
	return w, nil
}

// Write writes a row. A spreadsheet shows each text as it is, and computes none.
func (w *Writer) Write(fields []string) error {
	safe := make([]string, len(fields))
	for i, text := range fields {
		safe[i] = strings.Map(func(r rune) rune {
			if w.lack(r) {
				return '?'
			}
			return r
		}, Defused(text))
	}
	if err := w.csv.Write(safe); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}

// Close writes the rest. It doesn't close the underlying writer.
func (w *Writer) Close() error {
	w.csv.Flush()
	if err := errors.Join(w.csv.Error(), w.end.Close()); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}

// formulas begin with one of these characters, in any width.
const formulas = "=+-@\t\r\n＝＋－＠"

// Defused returns a text with an apostrophe in front if a spreadsheet would compute it. It leaves negative numbers unchanged.
func Defused(text string) string {
	if strings.IndexAny(text, formulas) != 0 || strings.Trim(text[1:], "0123456789.") == "" && text[0] == '-' {
		return text
	}
	return "'" + text
}

// fused takes back [Defused], so that a file that was written here is read as it was.
func fused(text string) string {
	if rest, quoted := strings.CutPrefix(text, "'"); quoted && Defused(rest) == text {
		return rest
	}
	return text
}
