package invoicepages

import (
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice"
	"onlyonce/internal/record"
	"onlyonce/internal/web"
	"onlyonce/templates"
)

// invoiceChanges describes the changes of an invoice that are not form fields: customer and total. The operation already shows the
// new state.
func invoiceChanges(inv invoice.Invoice) web.DescribeChanges {
	return web.InTurn(customerChanges, duplicateChanges, web.AmountChanges("Total", "total", "currency", inv.Currency))
}

// postingText returns the text of a posting in the history of its invoice.
func postingText(inv invoice.Invoice, e idempotency.Entry) string {
	posting := web.Decoded[invoice.PostingDetails](e.Details)
	amount := web.AmountText(inv.Currency, posting.Amount)
	switch e.What {
	case "payment":
		return "payment of " + amount + " recorded"
	case "removal":
		return "payment of " + amount + " removed"
	case "refund_removal":
		return "refund of " + amount + " removed"
	case "refund":
		return amount + " refunded"
	case "to_credit":
		return amount + " became credit with " + posting.Number
	case "from_credit":
		return amount + " of credit taken back with " + posting.Number
	case "credit_reversal":
		return "credit note of " + amount + " reversed by " + posting.Number
	case "write_off":
		return amount + " written off"
	case "reversal":
		return "write-off of " + amount + " taken back"
	default:
		return "credit note " + posting.Number + " of " + amount + " created"
	}
}

func customerChanges(fields web.Changed) []templates.HistoryChange {
	values, ok := fields["customer"]
	if !ok {
		return nil
	}
	return []templates.HistoryChange{customerChange(web.Decoded[invoice.Customer](values[0]), web.Decoded[invoice.Customer](values[1]))}
}

func duplicateChanges(fields web.Changed) []templates.HistoryChange {
	values, ok := fields["duplicate_of"]
	if !ok {
		return nil
	}
	return []templates.HistoryChange{{Is: "Voided as duplicate of " + web.Decoded[record.Reference](values[1]).Name}}
}

// customerChange describes the change of the customer by the fields that differ.
func customerChange(was, is invoice.Customer) templates.HistoryChange {
	if was.Name == is.Name {
		return templates.HistoryChange{Label: "Customer", Was: was.Email, Is: is.Email}
	}
	return templates.HistoryChange{Label: "Customer", Was: was.Name, Is: is.Name}
}
