// Package site lists the resources.
package site

import (
	"time"

	"onlyonce/internal/customer/customerpages"
	"onlyonce/internal/invoice/invoicepages"
	"onlyonce/internal/people/peoplepages"
	"onlyonce/internal/value/secretkey"
	"onlyonce/internal/web"
)

// Mount returns what mounts every resource, in the order of the navigation, and more pages behind them. keptAttempts is for how
// long attempts are kept, for pages to say; 0 if none are. key is that of the program, with which secrets are sealed and derived.
// sendsMail is set if there is a mail server.
func Mount(keptAttempts time.Duration, key secretkey.Key, sendsMail bool, more ...func(*web.Site)) func(*web.Site) {
	return func(s *web.Site) {
		invoices := invoicepages.Mount(s, sendsMail)
		customerpages.Mount(s,
			invoices.OfCustomer,
		)
		invoices.MountDuplicates()
		// A new resource stands above this line.
		invoices.MountSchedules()
		invoices.MountOutbox()
		peoplepages.Mount(s, keptAttempts, key)
		invoices.MountNumbers()
		invoices.MountWebhooks(key)
		for _, mount := range more {
			mount(s)
		}
	}
}
