package pdf

import (
	"slices"
	"strings"
)

// The columns of the parties. The buyer's is as wide as the window of an envelope.
const (
	buyerWidth = 240 * point
	sellerLeft = right - logoWidth
)

// parties writes the seller with its logo at the right, and the buyer at the left, where an envelope has its window (DIN 5008). Its first
// line is the seller's address, for returns.
func (d *document) parties(seller, buyer Party) {
	if d.logo.width > 0 {
		d.page().draw(d.logo, right-d.logo.width, top-d.logo.height)
		d.y -= d.logo.height + paragraph
	}
	d.party(sellerLeft, right-sellerLeft, seller)
	end := d.y
	const returns, most = 7, 2 // the size and the number of lines
	address := d.shaper.lines(strings.Join(append([]string{seller.Name}, seller.Address...), " · "), regular, buyerWidth/returns)
	address = address[:min(len(address), most)]
	d.y = window + len(address)*lineHeight(returns)
	for _, l := range address {
		d.page().text(left, d.down(returns), returns, regular, muted, l)
	}
	d.y -= 4 * point
	d.party(left, buyerWidth, buyer)
	d.y = min(d.y, end, window-124*point) - paragraph
}

// facts writes the facts side by side.
func (d *document) facts(all []Fact) {
	d.y -= paragraph / 2
	column := (right - left) / max(len(all), 4)
	begin, end := d.y, d.y
	for i, f := range all {
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
	d.room(paymentHeight(facts))
	d.block(left, right-left, small, bold, muted, "Payment")
	for _, f := range facts {
		d.room(lineHeight(body))
		page, y := d.page(), d.y-body*point
		page.text(left, y, body, regular, muted, d.shaper.one(f.Label, regular))
		d.block(left+labels, right-left-labels, body, regular, black, f.Value)
	}
}

func paymentHeight(facts []Fact) int { return lineHeight(small) + len(facts)*lineHeight(body) }

// party writes a party. Its height is limited so that both parties fit on the first page, with any names.
func (d *document) party(x, width int, p Party) {
	const most = 8 // lines of a name, which may have hundreds of characters
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
