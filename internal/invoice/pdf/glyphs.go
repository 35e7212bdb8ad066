package pdf

import (
	"fmt"
	"strings"

	"github.com/go-text/typesetting/font"
)

// embedded is a font in a file, with only the used glyphs. A glyph has a code for each text that it represents, so that the text layer is
// right even if several characters share a glyph, or a glyph precedes its character.
type embedded struct {
	*typeface

	face  *font.Face // for this rendering
	codes map[meaning]uint16
	used  []meaning // by code
}

// meaning is a glyph with its text: the text of the whole cluster for its first glyph, and "" for the others.
type meaning struct {
	glyph font.GID
	text  string
}

// maxTexts is the maximum number of codes with a text. Further codes have no text, so there are at most as many as the font has glyphs.
const maxTexts = 60_000

// code returns the code of a glyph with a text.
func (e *embedded) code(id font.GID, text string) uint16 {
	if len(e.used) >= maxTexts {
		text = ""
	}
	m := meaning{id, text}
	code, known := e.codes[m]
	if !known {
		code = uint16(len(e.used)) //nolint:gosec // see maxTexts
		e.codes[m] = code
		e.used = append(e.used, m)
	}
	return code
}

// width returns the advance of a glyph, in units of the em.
func (e *embedded) width(id font.GID) int {
	return int(e.face.HorizontalAdvance(id))
}

// subsetTag is the prefix of the font's name that marks a subset.
const subsetTag = "INVOIC+"

// write writes the font to a file, and returns its reference.
func (e *embedded) write(f *file) ref {
	data := e.subset(e.glyphs())
	name := subsetTag + e.name
	program := f.stream(fmt.Sprintf("/Length1 %d", len(data)), data)
	b := e.bounds
	descriptor := f.object(fmt.Sprintf(
		"<< /Type /FontDescriptor /FontName /%s /Flags 4 /FontBBox [%d %d %d %d] /ItalicAngle 0 "+
			"/Ascent %d /Descent %d /CapHeight %d /StemV 80 /FontFile2 %s >>",
		name, b[0], b[1], b[2], b[3], e.ascent, e.descent, e.capHeight, program))
	toGlyphs := f.stream("", e.toGlyphs())
	descendant := f.object(fmt.Sprintf(
		"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /%s /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) "+
			"/Supplement 0 >> /FontDescriptor %s /DW 0 /W [0 %s] /CIDToGIDMap %s >>",
		name, descriptor, e.widths(), toGlyphs))
	toUnicode := f.stream("", e.toUnicode())
	return f.object(fmt.Sprintf(
		"<< /Type /Font /Subtype /Type0 /BaseFont /%s /Encoding /Identity-H /DescendantFonts [%s] /ToUnicode %s >>",
		name, descendant, toUnicode))
}

// glyphs returns the used glyphs, by code.
func (e *embedded) glyphs() []font.GID {
	var all []font.GID
	for _, m := range e.used {
		all = append(all, m.glyph)
	}
	return all
}

func (e *embedded) widths() string {
	var list []string
	for _, m := range e.used {
		list = append(list, fmt.Sprint(e.width(m.glyph)))
	}
	return "[" + strings.Join(list, " ") + "]"
}

// toGlyphs returns the CIDToGIDMap: two bytes for each code.
func (e *embedded) toGlyphs() []byte {
	var table []byte
	for _, m := range e.used {
		table = append(table, byte(m.glyph>>8), byte(m.glyph)) //nolint:gosec // a font has at most 65,535
	}
	return table
}

// toUnicode returns the CMap that maps each code to its text.
func (e *embedded) toUnicode() []byte {
	var b strings.Builder
	b.WriteString(`/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /Adobe-Identity-UCS def
/CMapType 2 def
1 begincodespacerange
<0000> <FFFF>
endcodespacerange
`)
	const most = 100 // per section
	for from := 0; from < len(e.used); from += most {
		section := e.used[from:min(from+most, len(e.used))]
		fmt.Fprintf(&b, "%d beginbfchar\n", len(section))
		for i, m := range section {
			fmt.Fprintf(&b, "<%04X> <%s>\n", from+i, hexUTF16(m.text))
		}
		b.WriteString("endbfchar\n")
	}
	b.WriteString("endcmap\nCMapName currentdict /CMap defineresource pop\n")
	b.WriteString(strings.Repeat("end\n", 2)) // ends the dictionary and the procedures
	return []byte(b.String())
}
