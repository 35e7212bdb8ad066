package e2e

import (
	"testing"

	"onlyonce/internal/assert"
)

// Crater issue 1032 and siwapp issue 279: two people who see the same next number at the same time.

func TestTwoPeopleTakeOneNumberAtTheSameInstant(t *testing.T) {
	t.Parallel()
	people := layer{}.takeOneNumber(t, thisApp(t))
	first := 0
	for _, p := range people {
		if p.sawError() == "" {
			first++
			p.sees(created(p.number(1)))
			continue
		}
		p.sees("Invoice number " + p.number(1) + " already exists. " + keptOriginal)
		p.holds("Customer name", "Ada "+p.mark)
		p.follow(linkOpen(p.number(1)))
		p.seesHeading(headingInvoice(p.number(1)))
	}
	n := people[0].session.records.invoices(people[0].number(1))
	assert.Thatf(t, n == 1 && first == 1, "%d invoices have the number, and %d people saw that they created it", n, first)
}
