package pdf

import "fmt"

// document lays out an invoice on pages.
type document struct {
	shaper *shaper
	mark   string
	logo   drawing
	footer []line
	pages  []*page
	y      int // the top of the free space on the last page
	// again draws the beginning of every further page, such as the head of a table; nil for nothing.
	again func()
}

// Sizes of texts and the distances of their lines, in points.
const (
	small     = 8
	body      = 9
	strong    = 11
	large     = 20
	paragraph = 12 * point // the distance of parts
)

func lineHeight(size int) int { return size * point * 14 / 10 }

// page returns the current page.
func (d *document) page() *page { return d.pages[len(d.pages)-1] }

// next begins a new page.
func (d *document) next() {
	d.pages = append(d.pages, &page{})
	d.y = top
	if d.mark != "" {
		d.page().across(d.shaper.one(d.mark, bold))
	}
	if d.again != nil {
		d.again()
	}
}

// room begins a new page if the current one has no room for a height.
func (d *document) room(height int) {
	if d.y-height < bottom+len(d.footer)*lineHeight(small) {
		d.next()
	}
}

// down reserves a line at the top of the free space and returns its baseline.
func (d *document) down(size int) int {
	d.y -= lineHeight(size)
	return d.y + lineHeight(size) - size*point
}

// block writes a text on the lines and pages that it needs.
func (d *document) block(x, width, size int, style style, shade gray, text string) {
	for _, l := range d.shaper.lines(text, style, width/size) {
		d.room(lineHeight(size))
		y := d.down(size) // changes only the free space of the page
		d.page().text(x, y, size, style, shade, l)
	}
}

// compose writes everything except the footers, for which it leaves room.
func (d *document) compose(shown Document) {
	if shown.Footer != "" {
		d.footer = d.shaper.lines(shown.Footer, regular, (right-left)/small)
	}
	d.next()
	d.parties(shown.Seller, shown.Buyer)
	d.block(left, right-left, large, bold, black, shown.Title)
	d.facts(shown.Facts)
	d.table(shown.Head, shown.Lines)
	if len(shown.Payment) > 0 {
		d.room(d.sumsHeight(shown)) // so that the bank account is on the page of the amount to pay
	}
	d.totals(shown)
	for _, reason := range shown.Reasons {
		d.y -= paragraph
		d.block(left, right-left, body, regular, black, reason)
	}
	if len(shown.Payment) > 0 {
		d.y -= 2 * paragraph
		d.payment(shown.Payment)
	}
	if shown.Notes.Value != "" {
		d.y -= 2 * paragraph
		d.room(3 * lineHeight(body))
		d.block(left, right-left, small, bold, muted, shown.Notes.Label)
		d.block(left, right-left, body, regular, black, shown.Notes.Value)
	}
}

// sumsHeight returns the height of the totals with all that follows them until the bank account.
func (d *document) sumsHeight(shown Document) int {
	height := len(shown.Totals)*lineHeight(strong) + 3*paragraph + paymentHeight(shown.Payment)
	for _, reason := range shown.Reasons {
		height += paragraph + len(d.shaper.lines(reason, regular, (right-left)/body))*lineHeight(body)
	}
	return height
}

// number writes the footer, the title and the number of the page on each page, when the number of pages is known.
func (d *document) number(title string) {
	name := d.shaper.one(title, regular)
	for i, p := range d.pages {
		y := bottom + (len(d.footer)-2)*lineHeight(small)
		for _, l := range d.footer {
			p.text(left, y, small, regular, muted, l)
			y -= lineHeight(small)
		}
		p.text(left, y, small, regular, muted, name)
		p.rightOf(right, y, small, regular, muted, d.shaper.one(fmt.Sprintf("Page %d of %d", i+1, len(d.pages)), regular))
	}
}
