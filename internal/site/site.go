// Package site lists the resources, and what their domains add to the app besides pages.
package site

import (
	"onlyonce/internal/customer/customerpages"
	"onlyonce/internal/invoice/invoicepages"
	"onlyonce/internal/invoice/invoiceroom"
	"onlyonce/internal/invoice/logo/logopages"
	"onlyonce/internal/invoice/series/seriespages"
	"onlyonce/internal/invoice/webhook/webhookpages"
	"onlyonce/internal/people/peoplepages"
	"onlyonce/internal/room"
	"onlyonce/internal/web"
)

// Mount returns a function that mounts every resource, in the order of the navigation, and more pages after them. people configures
// logins, and its key also seals other secrets. sendsMail is set if there is a mail server.
func Mount(people peoplepages.Config, sendsMail bool, more ...func(*web.Site)) func(*web.Site) {
	return func(s *web.Site) {
		invoices := invoicepages.Mount(s, sendsMail)
		customerpages.Mount(s,
			invoices.OfCustomer,
		)
		invoices.MountDuplicates()
		// New resources are added above this line.
		invoices.MountSchedules()
		invoices.MountOutbox()
		peoplepages.Mount(s, people)
		logopages.Mount(s)
		seriespages.Mount(s)
		webhookpages.Mount(s, people.Key)
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
