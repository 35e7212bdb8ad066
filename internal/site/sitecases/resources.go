// Package sitecases lists the declarations of all resources for tests. Only tests import it.
package sitecases

import (
	"maps"
	"slices"

	"onlyonce/internal/customer/customercases"
	"onlyonce/internal/event/eventcases"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/people/peoplecases"
	"onlyonce/internal/site/sitetest"
)

// Resources returns all resources.
func Resources() []sitetest.Resource {
	return slices.Concat(
		customercases.Resources(),
		invoicecases.Resources(),
		// New resources are added above this line.
		peoplecases.Resources(),
		eventcases.Resources(),
	)
}

// Unbroken returns the constraints that functions of the database raise, and that no command of an operation breaks, by its name.
func Unbroken() map[string][]string {
	all := customercases.Unbroken()
	maps.Copy(all, invoicecases.Unbroken())
	maps.Copy(all, peoplecases.Unbroken())
	maps.Copy(all, eventcases.Unbroken())
	return all
}

// Grow inserts the rows that plans need, except those of plain resources.
func Grow(b *sitetest.Bundle) {
	invoicecases.GrowInvoices(b)
	customercases.GrowMerges(b)
}
