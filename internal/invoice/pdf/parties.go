package pdf

import "slices"

// parties writes who bills whom, side by side, and the facts below them.
func (d *document) parties(shown Document) {
	const gap = 24 * point
	width := (right - left - gap) / 2
	begin := d.y
	d.party(left, width, "From", shown.Seller)
	end := d.y
	d.y = begin
	d.party(left+width+gap, width, shown.Role, shown.Buyer)
	d.y = min(d.y, end) - paragraph
	column := (right - left) / max(len(shown.Facts), 4)
	begin, end = d.y, d.y
	for i, f := range shown.Facts {
		d.y = begin
		d.block(left+i*column, column, small, bold, muted, f.Label)
		d.block(left+i*column, column, body, regular, black, f.Value)
		end = min(end, d.y)
	}
	d.y = end - paragraph
}

// payment writes where to pay, one below the other: account numbers are long, and holders have long names.
func (d *document) payment(facts []Fact) {
	const labels = 90 * point // how wide the column of labels is
	d.room(lineHeight(small) + len(facts)*lineHeight(body))
	d.block(left, right-left, small, bold, muted, "Payment")
	for _, f := range facts {
		d.room(lineHeight(body))
		page, y := d.page(), d.y-body*point
		page.text(left, y, body, regular, muted, d.shaper.one(f.Label, regular))
		d.block(left+labels, right-left-labels, body, regular, black, f.Value)
	}
}

// party writes one of them. It is bounded so that both stay on the first page, whatever their names are.
func (d *document) party(x, width int, role string, p Party) {
	const most = 8 // lines of a name, which can have hundreds of characters
	d.block(x, width, small, bold, muted, role)
	for i, l := range d.shaper.lines(p.Name, bold, width/strong) {
		if i < most {
			d.page().text(x, d.down(strong), strong, bold, black, l)
		}
	}
	for _, text := range slices.Concat(p.Address[:min(len(p.Address), most)], []string{p.TaxID, p.Email}) {
		for i, l := range d.shaper.lines(text, regular, width/body) {
			if i < most {
				d.page().text(x, d.down(body), body, regular, black, l)
			}
		}
	}
}
