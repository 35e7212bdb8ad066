package pdf

import "slices"

// parties writes who bills whom, side by side, and the facts below them.
func (d *document) parties(inv Invoice) {
	const gap = 24 * point
	width := (right - left - gap) / 2
	begin := d.y
	d.party(left, width, "From", inv.Seller)
	end := d.y
	d.y = begin
	d.party(left+width+gap, width, "Bill to", inv.Buyer)
	d.y = min(d.y, end) - paragraph

	column := (right - left) / max(len(inv.Facts), 4)
	begin, end = d.y, d.y
	for i, f := range inv.Facts {
		d.y = begin
		d.block(left+i*column, column, small, bold, muted, f.Label)
		d.block(left+i*column, column, body, regular, black, f.Value)
		end = min(end, d.y)
	}
	d.y = end - paragraph
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
