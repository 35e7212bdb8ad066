package pdf

// cellGap is the distance of columns.
const cellGap = 14 * point

// columns has the right ends of the columns except the first, whose texts are right-aligned, and the width of the first, which gets the
// remaining space.
type columns struct {
	ends  []int
	first int
}

// table writes the lines. Its head is repeated on each page.
func (d *document) table(head Line, lines []Line) {
	columns := d.columns(head, lines)
	d.room(4 * lineHeight(body))
	d.again = func() { d.head(head, columns) }
	d.again()
	for _, l := range lines {
		d.row(l, columns)
	}
	d.again = nil
	d.y -= paragraph
}

// columns makes each column as wide as its widest text.
func (d *document) columns(head Line, lines []Line) columns {
	widths := make([]int, len(head.Cells))
	for i, text := range head.Cells {
		widths[i] = d.shaper.one(text, bold).width * small
	}
	for _, l := range lines {
		for i, text := range l.Cells {
			widths[i] = max(widths[i], d.shaper.one(text, regular).width*body)
		}
	}
	c := columns{ends: make([]int, len(widths))}
	end := right
	for i := len(widths) - 1; i >= 0; i-- {
		c.ends[i] = end
		end -= widths[i] + cellGap
	}
	c.first = max(end-left, 60*point)
	return c
}

func (d *document) head(head Line, columns columns) {
	y := d.down(small)
	d.page().text(left, y, small, bold, muted, d.shaper.one(head.Text, bold))
	for i, text := range head.Cells {
		d.page().rightOf(columns.ends[i], y, small, bold, muted, d.shaper.one(text, bold))
	}
	d.y -= 2 * point
	d.page().rule(left, right, d.y, muted)
	d.y -= 4 * point
}

// row writes a line. A line that fits on the next page but not on this one begins there; longer ones are split. The numbers are next to
// the first line of the description, but come after all of it in the text layer, for screen readers.
func (d *document) row(l Line, columns columns) {
	described := d.shaper.lines(l.Text, regular, columns.first/body)
	const most = 20 // lines kept together
	d.room(max(1, min(len(described), most)) * lineHeight(body))
	page, y := d.page(), d.y-body*point
	for _, text := range described {
		d.room(lineHeight(body))
		at := d.down(body)
		d.page().text(left, at, body, regular, black, text)
	}
	if len(described) == 0 {
		d.down(body)
	}
	if l.Below != "" {
		d.block(left, columns.first, body, regular, muted, l.Below)
	}
	for i, cell := range l.Cells {
		page.rightOf(columns.ends[i], y, body, regular, black, d.shaper.one(cell, regular))
	}
	d.y -= 2 * point
	d.page().rule(left, right, d.y, faint)
	d.y -= 4 * point
}

// totals writes the sums below the amounts.
func (d *document) totals(shown Document) {
	for _, t := range shown.Totals {
		size, style, text := body, regular, t.Label
		if t.Grand {
			size, style, text = strong, bold, t.Label+" "+shown.Currency
		}
		d.room(2 * lineHeight(size))
		if t.Grand {
			d.page().rule(right-220*point, right, d.y, muted)
			d.y -= 5 * point
		}
		y := d.down(size)
		sum, label := d.shaper.one(t.Amount, style), d.shaper.one(text, style)
		d.page().text(min(right-220*point, right-sum.width*size-label.width*size-cellGap), y, size, style, black, label)
		d.page().rightOf(right, y, size, style, black, sum)
	}
}
