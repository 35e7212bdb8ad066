package e2e

import "testing"

// TestMergeDuplicates finds a duplicate customer of the demo, merges it by five clicks once, and separates it again.
func TestMergeDuplicates(t *testing.T) {
	onlyHere(t, "it merges customers of the demo")
	t.Parallel()
	s := start(t, withoutJavaScript)
	s.login()
	s.open("/customers")
	s.follow(linkDuplicates)
	s.sees("Same tax ID and mailbox")
	s.follow(linkMerge)
	s.seesHeading("Merge customers")
	s.log.forget()
	s.pointAt(buttonMergeCustomers)
	s.tap(5)
	s.seesHeading("Northwind Traders Ltd. into Northwind Traders")
	if n := s.count(`SELECT count(*) FROM customer_merges`); n != 1 {
		t.Errorf("%d merges", n)
	}
	s.open("/duplicates")
	s.sees("No customers have the same tax ID, the same mailbox or the same name.")

	var loser string
	s.query(&loser, `SELECT id::text FROM customers WHERE merged_into IS NOT NULL`)
	s.open("/customers/" + loser)
	s.seesHeading("Northwind Traders")
	s.follow("Northwind Traders Ltd. into Northwind Traders")
	s.click(buttonUndo)
	s.sees("Merge Northwind Traders Ltd. into Northwind Traders undone.")
	s.open("/customers/" + loser)
	s.seesHeading("Northwind Traders Ltd.")
}
