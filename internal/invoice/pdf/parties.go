package pdf

import "slices"

// parties writes seller and buyer side by side, and the facts below them.
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

// payment writes the payment details one below the other, because account numbers and names of holders are long.
func (d *document) payment(facts []Fact) {
	const labels = 90 * point // width of the labels' column
	d.room(lineHeight(small) + len(facts)*lineHeight(body))
	d.block(left, right-left, small, bold, muted, "Payment")
	for _, f := range facts {
		d.room(lineHeight(body))
		page, y := d.page(), d.y-body*point
		page.text(left, y, body, regular, muted, d.shaper.one(f.Label, regular))
		d.block(left+labels, right-left-labels, body, regular, black, f.Value)
	}
}

// party writes a party. Its height is limited so that both parties fit on the first page, with any names.
func (d *document) party(x, width int, role string, p Party) {
	const most = 8 // lines of a name, which may have hundreds of characters
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
