package pdf

import "testing"

// TestExtremeAmounts checks that the longest numbers of an invoice leave room for the description, and that columns don't overlap.
func TestExtremeAmounts(t *testing.T) {
	t.Parallel()
	d := &document{shaper: newTestShaper(t)}
	longest := Line{
		Quantity: "999999999.999999", UnitPrice: "900,719,925,474,099.1", TaxRate: "99.999%", Amount: "9,007,199,254,740,991",
	}
	c := d.columns(Line{"Description", "Quantity", "Unit price", "Tax", "Amount"}, []Line{{Quantity: "1"}, longest})
	before := left + c.first
	for i, text := range longest.cells() {
		begin := c.ends[i] - d.shaper.one(text, regular).width*body
		if begin < before+cellGap {
			t.Errorf("column %d begins at %s, and the one before it ends at %s", i+1, number(begin), number(before))
		}
		before = c.ends[i]
	}
	if c.first < 100*point || before != right {
		t.Errorf("the description has %s points, and the last column ends at %s", number(c.first), number(before))
	}
}
