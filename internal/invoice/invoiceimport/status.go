package invoiceimport

import (
	"slices"
	"strings"
)

// The known statuses in other systems. An invoice without one is issued.
var (
	issuedThere = []string{
		"", "open", "sent", "issued", "approved", "authorised", "authorized", "awaiting payment", "unpaid", "outstanding", "due",
		"past due", "overdue", "late", "viewed", "active", "offen", "versendet", "überfällig",
	}
	paidThere   = []string{"paid", "closed", "deposited", "bezahlt"}
	partlyThere = []string{"partial", "partially paid", "teilweise bezahlt"}
	draftThere  = []string{"draft", "submitted", "awaiting approval", "not sent", "pending", "entwurf"}
	endedThere  = []string{
		"void", "voided", "deleted", "uncollectible", "cancelled", "canceled", "reversed", "storniert", "quote", "estimate", "proforma",
		"pro forma", "refunded", "written off", "bad debt",
	}
)

// is reports whether a status is one of some, ignoring case and which of spaces, hyphens and underscores are between its words.
func is(status string, some []string) bool {
	words := strings.FieldsFunc(strings.ToLower(status), func(r rune) bool { return strings.ContainsRune(" -_", r) })
	return slices.Contains(some, strings.Join(words, " "))
}

// statusOf reports whether an invoice with a status and a type in another system is to be issued, and returns a sentence about one that
// isn't imported, or "".
func statusOf(status, typed string) (issue bool, problem string) {
	switch {
	case strings.Contains(strings.ToLower(typed), "credit"):
		return false, "Credit notes aren't imported."
	case is(typed, endedThere):
		return false, "The document is of the type “" + typed + "”, so it isn't imported."
	case is(status, endedThere):
		return false, "The status is “" + status + "”, so the invoice isn't imported."
	case is(status, draftThere):
		return false, ""
	case is(status, issuedThere), is(status, paidThere), is(status, partlyThere):
		return true, ""
	default:
		return false, "The status “" + status + "” isn't known. Write open, paid or draft instead, or choose no column for the status."
	}
}
