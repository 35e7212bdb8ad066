package pdf

import (
	"strings"
	"unicode"

	"github.com/go-text/typesetting/di"
	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/language"
	"github.com/go-text/typesetting/shaping"
	"golang.org/x/image/math/fixed"
)

// glyph is a positioned glyph in a line. Lengths are units of the em.
type glyph struct {
	text    string // the text of the cluster for its first glyph; "" for the others
	code    uint16 // in the embedded font
	width   int    // in the font
	advance int    // to the next one
	dx, dy  int    // offset from its default position
}

// line is a line of text, ready to be drawn.
type line struct {
	glyphs []glyph
	width  int // units of the em
}

// shaper converts texts to lines. It is for one rendering, and not safe for concurrent use.
type shaper struct {
	faces    [styles]*font.Face
	fonts    [styles]*embedded
	segments shaping.Segmenter
	harfbuzz shaping.HarfbuzzShaper
	wrapper  shaping.LineWrapper
}

func newShaper(typefaces [styles]*typeface) *shaper {
	s := &shaper{}
	for i, t := range typefaces {
		face := font.NewFace(t.shapes)
		s.faces[i] = face
		s.fonts[i] = &embedded{typeface: t, face: face, codes: map[meaning]uint16{{}: 0}, used: []meaning{{}}}
	}
	return s
}

// one returns a text in one line of any length.
func (s *shaper) one(text string, style style) line {
	lines := s.lines(strings.Join(strings.Fields(text), " "), style, maxWidth)
	if len(lines) == 0 {
		return line{}
	}
	return lines[0]
}

// lineBreaks replaces the other line breaks with a line feed, because the shaper does not support them.
var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

const (
	// maxWidth is wider than any line, and small enough for 26.6 fixed point.
	maxWidth = 1 << 24
	// maxParagraph is the number of characters shaped together, whose width must stay below maxWidth.
	maxParagraph = 4000
)

// lines breaks a text into lines of at most width units of the em. It keeps the line breaks in the text. A word that is longer than a
// line is broken.
func (s *shaper) lines(text string, style style, width int) (all []line) {
	for paragraph := range strings.SplitSeq(lineBreaks.Replace(text), "\n") {
		written := []rune(strings.ReplaceAll(strings.TrimRight(paragraph, " \t\r"), "\t", "    "))
		if len(written) == 0 {
			all = append(all, line{})
		}
		for len(written) > 0 {
			part := written[:min(len(written), maxParagraph)]
			written = written[len(part):]
			all = append(all, s.paragraph(part, style, width)...)
		}
	}
	for len(all) > 0 && len(all[len(all)-1].glyphs) == 0 {
		all = all[:len(all)-1]
	}
	return all
}

// paragraph is lines for a text without line breaks.
func (s *shaper) paragraph(written []rune, style style, width int) []line {
	face := s.faces[style]
	shown := visible(written, face)
	var runs []shaping.Output
	for _, run := range s.segments.Split(shaping.Input{
		Text: shown, RunEnd: len(shown), Direction: di.DirectionLTR, Size: fixed.I(em), Language: language.DefaultLanguage(),
	}, oneFace{face}) {
		runs = append(runs, s.harfbuzz.Shape(run))
	}
	wrapped, _ := s.wrapper.WrapParagraphF(shaping.WrapConfig{Direction: di.DirectionLTR}, fixed.I(width), shown,
		shaping.NewSliceIterator(runs))
	var all []line
	for _, l := range wrapped {
		all = append(all, s.place(l, written, style))
	}
	return all
}

// place returns a line with the codes and positions of its glyphs.
func (s *shaper) place(wrapped shaping.Line, written []rune, style style) line {
	var placed line
	for _, run := range wrapped {
		last := -1 // cluster
		for _, g := range run.Glyphs {
			text := ""
			if from := g.TextIndex(); from != last {
				text, last = string(written[from:from+g.RunesCount()]), from
			}
			at := glyph{
				text: text,
				code: s.fonts[style].code(g.GlyphID, text), width: s.fonts[style].width(g.GlyphID),
				advance: g.Advance.Round(), dx: g.XOffset.Round(), dy: g.YOffset.Round(),
			}
			placed.glyphs = append(placed.glyphs, at)
			placed.width += at.advance
		}
	}
	return placed
}

// visible replaces each character that the font lacks, so that a reader sees that something is missing. The text layer keeps the original
// text. Invisible characters, such as a joiner, stay.
func visible(written []rune, face *font.Face) []rune {
	shown := make([]rune, len(written))
	for i, r := range written {
		if shown[i] = r; !shows(face, r) {
			shown[i] = unicode.ReplacementChar
		}
	}
	return shown
}

// shows reports whether a font has a character, or the character is invisible anyway.
func shows(face *font.Face, r rune) bool {
	_, has := face.NominalGlyph(r)
	return !unicode.IsControl(r) && (has || unicode.In(r, unicode.Cf, unicode.Variation_Selector))
}

// oneFace is a font map with one font.
type oneFace struct{ face *font.Face }

// ResolveFace returns the font for any character.
func (f oneFace) ResolveFace(rune) *font.Face { return f.face }
