package pdf

import (
	"fmt"
	"slices"
	"strings"
)

// Lengths are thousandths of a point. A point is 1/72 inch, and the page is A4.
const (
	point      = 1000
	pageWidth  = 595_280
	pageHeight = 841_890
	left       = 62 * point // 22 mm, in the window of an envelope
	right      = pageWidth - 52*point
	top        = pageHeight - 48*point
	window     = pageHeight - 142*point // 50 mm: the top of the buyer's name and address
	bottom     = 64 * point             // the title and the number of the page are below
)

// gray is a level of gray, in percent.
type gray int

const (
	black gray = 10
	muted gray = 40
	faint gray = 80
	veil  gray = 92
)

// page collects the drawing operators of a page.
type page struct{ strings.Builder }

// text draws a line of text with its baseline beginning at a place.
func (p *page) text(x, y, size int, style style, shade gray, l line) {
	if len(l.glyphs) == 0 {
		return
	}
	fmt.Fprintf(p, "BT /F%d %d Tf %s g 1 0 0 1 %s %s Tm\n", style, size, percent(shade), number(x), number(y))
	p.glyphs(size, l)
	fmt.Fprint(p, "ET\n")
}

// rightOf draws a line that ends at x.
func (p *page) rightOf(x, y, size int, style style, shade gray, l line) {
	p.text(x-l.width*size, y, size, style, shade, l)
}

// glyphs draws the glyphs of a line at the positions of the shaper, which may differ from their widths. Readers of the text layer see
// gaps between the glyphs of a cluster, because only the first one has text, so words with such clusters are marked with their text.
func (p *page) glyphs(size int, l line) {
	cursor := cursor{page: p, size: size}
	for len(l.glyphs) > 0 {
		word := l.glyphs[:wordLength(l.glyphs)]
		l.glyphs = l.glyphs[len(word):]
		marked := slices.ContainsFunc(word, func(g glyph) bool { return g.text == "" })
		if marked {
			fmt.Fprintf(p, "/Span << /ActualText %s >> BDC\n", textString(written(word)))
		}
		cursor.show(word)
		if marked {
			fmt.Fprint(p, "EMC\n")
		}
	}
	if cursor.rise != 0 {
		fmt.Fprint(p, "0 Ts\n")
	}
}

// wordLength returns the number of glyphs of the first word, or of the space before it.
func wordLength(glyphs []glyph) int {
	space := func(g glyph) bool { return g.text == " " }
	begins := space(glyphs[0])
	if n := slices.IndexFunc(glyphs, func(g glyph) bool { return space(g) != begins }); n > 0 {
		return n
	}
	return len(glyphs)
}

func written(word []glyph) string {
	var b strings.Builder
	for _, g := range word {
		b.WriteString(g.text)
	}
	return b.String()
}

// cursor is the position in a line where the next glyph would be drawn without an adjustment. Lengths are units of the em.
type cursor struct {
	page *page
	size int // points
	// pen is the position of the shaper, at the position after the widths so far, and rise the height above the baseline.
	pen, at, rise int
}

func (c *cursor) show(glyphs []glyph) {
	fmt.Fprint(c.page, "[")
	for _, g := range glyphs {
		if g.dy != c.rise {
			fmt.Fprintf(c.page, "] TJ %s Ts [", number(g.dy*c.size))
			c.rise = g.dy
		}
		if move := c.pen + g.dx - c.at; move != 0 {
			fmt.Fprintf(c.page, "%d", -move)
			c.at += move
		}
		fmt.Fprintf(c.page, "<%04X>", g.code)
		c.at += g.width
		c.pen += g.advance
	}
	fmt.Fprint(c.page, "] TJ\n")
}

// rule draws a horizontal line.
func (p *page) rule(x1, x2, y int, shade gray) {
	fmt.Fprintf(p, "%s G 0.6 w %s %s m %s %s l S\n", percent(shade), number(x1), number(y), number(x2), number(y))
}

// across draws a large text from corner to corner, behind everything else.
func (p *page) across(l line) {
	if len(l.glyphs) == 0 {
		return
	}
	const cosine = 707 // cosine and sine of 45 degrees, in thousandths
	size := min(150, 600*point/max(l.width, 1))
	half := l.width * size / 2 * cosine / 1000
	x, y := pageWidth/2-half+size*250, pageHeight/2-half-size*250
	fmt.Fprintf(p, "BT /F%d %d Tf %s g 0.707 0.707 -0.707 0.707 %s %s Tm\n", bold, size, percent(veil), number(x), number(y))
	p.glyphs(size, l)
	fmt.Fprint(p, "ET\n")
}

// number writes a length in points.
func number(length int) string {
	sign := ""
	if length < 0 {
		sign, length = "-", -length
	}
	return fmt.Sprintf("%s%d.%03d", sign, length/1000, length%1000)
}

func percent(g gray) string { return fmt.Sprintf("0.%02d", int(g)) }
