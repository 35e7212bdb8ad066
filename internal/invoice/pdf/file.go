package pdf

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"
	"unicode/utf16"
)

// file is a PDF file in progress: objects, and a table with their offsets.
type file struct {
	bytes.Buffer

	offsets []int // by reference; 0 for a reserved object
	// The state for compressing streams, reused because it is large.
	small bytes.Buffer
	zip   *zlib.Writer
}

// ref is the number of an object in a file.
type ref int

func (r ref) String() string { return fmt.Sprintf("%d 0 R", int(r)) }

func newFile() *file {
	f := &file{offsets: []int{0}} // object 0 does not exist
	f.zip = zlib.NewWriter(&f.small)
	fmt.Fprint(f, "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n") // the second line marks the file as binary
	return f
}

// reserve returns the number of an object to be written later.
func (f *file) reserve() ref {
	f.offsets = append(f.offsets, 0)
	return ref(len(f.offsets) - 1)
}

// object writes an object.
func (f *file) object(content string) ref {
	r := f.reserve()
	f.set(r, content)
	return r
}

// set writes a reserved object.
func (f *file) set(r ref, content string) {
	f.offsets[r] = f.Len()
	fmt.Fprintf(f, "%d 0 obj\n%s\nendobj\n", int(r), content)
}

// stream writes an object with compressed bytes, with further entries in its dictionary.
func (f *file) stream(entries string, content []byte) ref {
	f.small.Reset()
	f.zip.Reset(&f.small)
	_, _ = f.zip.Write(content) // memory never fails
	_ = f.zip.Close()
	return f.raw("/Filter /FlateDecode "+entries, f.small.Bytes())
}

// raw writes an object with bytes as they are, with further entries in its dictionary.
func (f *file) raw(entries string, content []byte) ref {
	r := f.reserve()
	f.offsets[r] = f.Len()
	fmt.Fprintf(f, "%d 0 obj\n<< /Length %d %s >>\nstream\n", int(r), len(content), entries)
	_, _ = f.Write(content)
	fmt.Fprint(f, "\nendstream\nendobj\n")
	return r
}

// finish writes the end of the file.
func (f *file) finish(catalog, info ref) {
	start := f.Len()
	fmt.Fprintf(f, "xref\n0 %d\n0000000000 65535 f \n", len(f.offsets))
	for _, offset := range f.offsets[1:] {
		fmt.Fprintf(f, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(f, "trailer\n<< /Size %d /Root %s /Info %s >>\nstartxref\n%d\n%%%%EOF\n", len(f.offsets), catalog, info, start)
}

// textString encodes a text for a dictionary: UTF-16 with a byte order mark.
func textString(text string) string {
	return "<FEFF" + hexUTF16(text) + ">"
}

func hexUTF16(text string) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(text)) {
		fmt.Fprintf(&b, "%04X", unit)
	}
	return b.String()
}
