// Package site lists the resources, and what their domains add to the app besides pages.
package site

import (
	"time"

	"onlyonce/internal/customer/customerpages"
	"onlyonce/internal/invoice/invoicepages"
	"onlyonce/internal/invoice/invoiceroom"
	"onlyonce/internal/invoice/series/seriespages"
	"onlyonce/internal/invoice/webhook/webhookpages"
	"onlyonce/internal/people/peoplepages"
	"onlyonce/internal/room"
	"onlyonce/internal/value/secretkey"
	"onlyonce/internal/web"
)

// Mount returns a function that mounts every resource, in the order of the navigation, and more pages after them. keptAttempts
// is the time that attempts are kept, shown on pages; 0 if none are kept. key is the program's key, which seals and derives
// secrets. sendsMail is set if there is a mail server.
func Mount(keptAttempts time.Duration, key secretkey.Key, sendsMail bool, more ...func(*web.Site)) func(*web.Site) {
	return func(s *web.Site) {
		invoices := invoicepages.Mount(s, sendsMail)
		customerpages.Mount(s,
			invoices.OfCustomer,
		)
		invoices.MountDuplicates()
		// New resources are added above this line.
		invoices.MountSchedules()
		invoices.MountOutbox()
		peoplepages.Mount(s, keptAttempts, key)
		seriespages.Mount(s)
		webhookpages.Mount(s, key)
		for _, mount := range more {
			mount(s)
		}
	}
}

// Rooms returns what domains add to the app besides their pages.
func Rooms() []room.Room {
	return []room.Room{
		invoiceroom.Room(),
	}
}
