package pdf

import (
	"bytes"
	"embed"
	"fmt"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
)

// Noto Sans has Latin, Greek, Cyrillic and Devanagari. The files are unmodified, under the licence next to them, which reserves no font
// name.
//
//go:embed fonts/NotoSans-Regular.ttf fonts/NotoSans-Bold.ttf
var fontFiles embed.FS

// em is the number of units of the design grid per size: a width in these units times a size in points is a length in thousandths of a
// point.
const em = 1000

// style is the weight of a text.
type style int

const (
	regular style = iota
	bold
	styles // the number of styles
)

// typeface is a parsed font file, shared by all renderings.
type typeface struct {
	name   string // PostScript name
	shapes *font.Font
	tables []opentype.Table // the tables that a PDF file needs, sorted by name as TrueType requires
	// Metrics for the PDF file, in units of the em.
	ascent, descent, capHeight int
	bounds                     [4]int
}

// loadTypefaces reads the font files. An error means that a font does not have the properties that this package needs.
func loadTypefaces() (all [styles]*typeface, err error) {
	for i, name := range []string{"NotoSans-Regular", "NotoSans-Bold"} {
		data, err := fontFiles.ReadFile("fonts/" + name + ".ttf")
		if err == nil {
			all[i], err = newTypeface(name, data)
		}
		if err != nil {
			return all, fmt.Errorf("font %s: %w", name, err)
		}
	}
	return all, nil
}

func newTypeface(name string, data []byte) (*typeface, error) {
	loader, err := opentype.NewLoader(bytes.NewReader(data))
	if err != nil {
		return nil, err //nolint:wrapcheck // loadTypefaces names the font
	}
	shapes, err := font.NewFont(loader)
	if err != nil {
		return nil, err //nolint:wrapcheck // the same
	}
	head, _, err := font.LoadHeadTable(loader, nil)
	if err != nil {
		return nil, err //nolint:wrapcheck // the same
	}
	if head.UnitsPerEm != em {
		return nil, fmt.Errorf("%d units per em, want %d", head.UnitsPerEm, em)
	}
	face := font.NewFace(shapes)
	extents, _ := face.FontHExtents()
	t := &typeface{
		name: name, shapes: shapes, ascent: int(extents.Ascender), descent: int(extents.Descender),
		capHeight: int(face.LineMetric(font.CapHeight)),
		bounds:    [4]int{int(head.XMin), int(head.YMin), int(head.XMax), int(head.YMax)},
	}
	for _, name := range []string{"cvt ", "fpgm", "glyf", "head", "hhea", "hmtx", "loca", "maxp", "prep"} {
		tag := opentype.MustNewTag(name)
		if !loader.HasTable(tag) {
			continue // not every font has hints
		}
		content, err := loader.RawTable(tag)
		if err != nil {
			return nil, err //nolint:wrapcheck // the same
		}
		t.tables = append(t.tables, opentype.Table{Tag: tag, Content: content})
	}
	return t, t.check()
}

// table returns the content of a table, or nil if the font does not have it.
func (t *typeface) table(name string) []byte {
	for _, table := range t.tables {
		if table.Tag == opentype.MustNewTag(name) {
			return table.Content
		}
	}
	return nil
}
