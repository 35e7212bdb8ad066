// Package site lists the resources, and what their domains add to the app besides pages.
package site

import (
	"onlyonce/internal/customer/customerimport"
	"onlyonce/internal/customer/customerpages"
	"onlyonce/internal/event/delivery"
	"onlyonce/internal/event/eventpages"
	"onlyonce/internal/importing/importingpages"
	"onlyonce/internal/importing/importingroom"
	"onlyonce/internal/invoice/attachment/attachmentpages"
	"onlyonce/internal/invoice/batch/batchpages"
	"onlyonce/internal/invoice/closing/closingpages"
	"onlyonce/internal/invoice/credit/creditpages"
	"onlyonce/internal/invoice/duplicate/duplicatepages"
	"onlyonce/internal/invoice/invoiceimport"
	"onlyonce/internal/invoice/invoicepages"
	"onlyonce/internal/invoice/invoiceroom"
	"onlyonce/internal/invoice/logo/logopages"
	"onlyonce/internal/invoice/mail/mailpages"
	"onlyonce/internal/invoice/payment/paymentpages"
	"onlyonce/internal/invoice/paymentimport"
	"onlyonce/internal/invoice/receipt/receiptpages"
	"onlyonce/internal/invoice/reminder/reminderpages"
	"onlyonce/internal/invoice/schedule/schedulepages"
	"onlyonce/internal/invoice/series/seriespages"
	"onlyonce/internal/invoice/statement/statementpages"
	"onlyonce/internal/invoice/taxsummary/taxsummarypages"
	"onlyonce/internal/invoice/webhook/webhookpages"
	"onlyonce/internal/invoice/writeoff/writeoffpages"
	"onlyonce/internal/people/peoplepages"
	"onlyonce/internal/room"
	"onlyonce/internal/web"
)

// Mount returns a function that mounts every resource, in the order of the navigation, and more pages after them. people configures
// logins, and its key is that of other secrets. sendsMail is set if there is a mail server, and private if events
// may be delivered to addresses that are not on the public internet.
func Mount(people peoplepages.Config, sendsMail, private bool, more ...func(*web.Site)) func(*web.Site) {
	return func(s *web.Site) {
		invoices := invoicepages.Mount(s, sendsMail, mailpages.OfInvoice)
		paymentpages.Mount(s, invoices.Invoices)
		creditpages.Mount(s, invoices.Invoices, invoices.PDF, mailpages.OfCreditNote)
		writeoffpages.Mount(s, invoices.Invoices)
		receiptpages.Mount(s)
		attachmentpages.Mount(s, invoices.Invoices)
		reminderpages.Mount(s, invoices.Invoices)
		batchpages.Mount(s, invoices.Invoices, invoices.ChosenWarnings)
		taxsummarypages.Mount(s)
		closingpages.Mount(s)
		customerpages.Mount(s,
			invoices.OfCustomer,
		)
		importingpages.Mount(s, "customers", customerimport.Kind)
		importingpages.Mount(s, "invoices", invoiceimport.Kind)
		importingpages.Mount(s, "invoices", paymentimport.Kind)
		statementpages.Mount(s, invoices.PDF)
		duplicatepages.Mount(s, invoices.Invoices)
		// New resources are added above this line.
		schedulepages.Mount(s)
		mailpages.Mount(s, invoices.Invoices)
		peoplepages.Mount(s, people)
		logopages.Mount(s)
		seriespages.Mount(s)
		webhookpages.Mount(s, people.Key)
		eventpages.Mount(s, people.Key, private)
		for _, mount := range more {
			mount(s)
		}
	}
}

// Rooms returns what domains add to the app besides their pages.
func Rooms() []room.Room {
	return []room.Room{
		importingroom.Room(
			customerimport.Kind,
			invoiceimport.Kind,
			paymentimport.Kind,
		),
		invoiceroom.Room(),
		delivery.Room(),
	}
}
