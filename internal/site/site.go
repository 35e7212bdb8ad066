// Package site says which resources there are.
package site

import (
	"time"

	"onlyonce/internal/customer/customerpages"
	"onlyonce/internal/invoice/invoicepages"
	"onlyonce/internal/people/peoplepages"
	"onlyonce/internal/web"
)

// Mount returns what mounts every resource, in the order of the navigation, and more pages behind them. keptAttempts is for how
// long attempts are kept, for pages to say; 0 if none are.
func Mount(keptAttempts time.Duration, more ...func(*web.Site)) func(*web.Site) {
	return func(s *web.Site) {
		invoices := invoicepages.Mount(s)
		customerpages.Mount(s,
			invoices.OfCustomer,
		)
		// A new resource stands above this line.
		invoices.MountSchedules()
		invoices.MountOutbox()
		peoplepages.Mount(s, keptAttempts)
		for _, mount := range more {
			mount(s)
		}
	}
}
