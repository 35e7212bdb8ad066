package e2e

import (
	"fmt"
	"testing"

	"github.com/playwright-community/playwright-go"

	"onlyonce/internal/assert"
)

func (s *session) choices() playwright.Locator {
	return s.page.GetByRole("listbox").GetByRole("option")
}

// sendsCustomer checks the chosen customer, which may differ from the text in the field.
func (s *session) sendsCustomer(name string) {
	s.t.Helper()
	s.check(expect.Locator(s.page.Locator("[name=customer_id] option:checked")).ToContainText(name), "choose "+name)
}

// TestCustomerIsSearched checks that any customer can be found by a few letters and the keyboard, with the address beside the name.
// A text that is not a choice sends nothing and chooses no customer.
func TestCustomerIsSearched(t *testing.T) {
	onlyHere(t, "hundreds of customers would stay")
	withFocus(t)
	for name, options := range map[string][]option{
		"wide": {withJavaScript}, "narrow": {onPhone}, "forced colors": {inForcedColors},
	} {
		t.Run(name, func(t *testing.T) {
			withFocus(t)
			s := loggedIn(t, options...)
			for n := range 210 { // more than a select offers
				s.post("/customers", fmt.Sprint(s.mark, n), map[string]string{
					"email": fmt.Sprintf("c%d-%s", n, s.email("ada")), "name": s.named(fmt.Sprintf("Customer c%dc", n)),
					"address": fmt.Sprintf("%d Quay\nPorto", n), "country": "PT", "payment_days": "7",
				})
			}
			s.newInvoice()
			s.isFocused(s.field(fieldBillTo))
			s.press("ArrowDown")
			s.check(expect.Locator(s.choices().First()).ToHaveText("New customer"), "offer a new one")
			s.check(expect.Locator(s.choices().Nth(1)).ToContainText("Customer c209c"), "offer the newest")
			s.press("Escape")
			s.check(expect.Locator(s.page.GetByRole("listbox")).ToBeHidden(), "close the list")

			s.fill(fieldBillTo, s.named("c0c"))
			s.check(expect.Locator(s.choices()).ToHaveCount(1), "find one")
			s.check(expect.Locator(s.choices()).ToContainText("0 Quay, Porto, Portugal"), "see the address")
			s.isAccessibleNow("the choice of a customer")
			s.takePicture("/invoices/new")
			s.press("Enter")
			s.sendsCustomer(s.named("Customer c0c"))
			s.sees("0 Quay, Porto, Portugal")
			s.check(expect.Locator(s.field(fieldCustomerEmail)).ToBeHidden(), "ask for no new customer")
			due, err := s.field(fieldDueDate).InputValue()
			assert.Thatf(t, err == nil && due != "", "the due date does not follow from the customer: %q, %v", due, err)
			s.fill(fieldIssueDate, "2026-03-01")
			s.check(expect.Locator(s.field(fieldDueDate)).ToHaveValue("2026-03-08"), "see the due date follow")
			s.fill(fieldDueDate, "2026-04-15")
			s.fill(fieldIssueDate, "2026-03-02")
			s.check(expect.Locator(s.field(fieldDueDate)).ToHaveValue("2026-04-15"), "see what was typed stay")

			s.fill(fieldBillTo, "nobody of that name")
			s.sees("Nothing was found.")
			s.press("Enter")
			s.press("Tab")
			s.sendsCustomer(s.named("Customer c0c"))
			s.check(expect.Locator(s.field(fieldBillTo)).ToHaveValue(s.named("Customer c0c")+" · c0-"+s.email("ada")), "see who is chosen")

			s.fillLine(1, "Design", "1", "10", "23")
			s.create()
			s.sees(s.named("Customer c0c"))
			s.hasNew(1)
		})
	}
}
