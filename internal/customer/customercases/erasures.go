package customercases

import (
	"net/url"

	"onlyonce/internal/site/sitetest"
)

// Erasures erase the personal data of an archived customer.
func Erasures() sitetest.Resource {
	command := url.Values{"reason": {"Asked for by email"}}
	of := Customers()
	of.Command = sitetest.Change(of.Command, "email", "", "name", "Lord Byron", "tax_id", "") // so that each is a new one
	return sitetest.Resource{
		Name: "erasure", Path: "/erasures", People: true,
		Parent: &sitetest.Parent{Resource: of, Ready: []string{"archive"}, OwnPage: true},
		Words: sitetest.Words{
			Verb: "erase", Past: "erased", Button: "Erase for good", Told: "The personal data of this customer was erased.",
			Found: "The personal data of this customer was already erased. Nothing was changed.",
		},
		Command: command, Label: "Erased customer",
		Other:   url.Values{"reason": {"Asked for by letter"}},
		Fields:  []sitetest.Field{{Name: "reason", Valid: "Asked for by phone", Invalid: "a\u202eb", Pointer: "/reason"}},
		Leaves:  sitetest.Rows{"customer_erasures": 1, "intents": 1, "intent_effects": 1},
		Repeats: sitetest.Repeats{Reused: command},
		OfCustomer: map[string]string{
			"customer_erasures.reason": "kept as proof; the form asks for a reason without the person",
		},
	}
}
