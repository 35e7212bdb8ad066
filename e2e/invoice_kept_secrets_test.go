package e2e

import (
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/assert"
)

// typeEverywhere types into every field of every form on the page, and returns the resulting fields of the form with a key, if
// there is one.
const typeEverywhere = `() => {
	const fields = (form) => [...form.querySelectorAll("input[name]:not([type=hidden], [type=file]), select, textarea")];
	for (const field of [...document.forms].flatMap(fields)) {
		if (field.tagName === "SELECT") field.selectedIndex = field.options.length - 1;
		else if (field.type === "checkbox") field.checked = !field.checked;
		else field.value = { date: "2027-01-31", email: "typed@example.test", password: "my secret" }[field.type] ?? "typed " + field.name;
		field.dispatchEvent(new Event("input", { bubbles: true }));
	}
	const keyed = document.querySelector("form[data-form-url]");
	return keyed && fields(keyed).map(({ name, value, checked }) => name + "=" + value + checked).join("\n") || null; // or null
}`

const fieldsOfTheForm = `() => [...document.querySelector("form[data-form-url]")
	.querySelectorAll("input[name]:not([type=hidden], [type=file]), select, textarea")]
	.map(({ name, value, checked }) => name + "=" + value + checked).join("\n")`

// TestEveryFormIsRestoredAndNoSecretIsKept types into every form that links lead to. Any form with a key can be restored. Forms
// without a key, and those for owners only, leave no trace.
func TestEveryFormIsRestoredAndNoSecretIsKept(t *testing.T) {
	onlyHere(t, "it adds a person, who would stay")
	t.Parallel()
	s := start(t)
	var restored []string
	look := func(s *session, kind string) {
		s.t.Helper()
		s.storage(`() => localStorage.clear()`)
		typed, err := s.page.Evaluate(typeEverywhere)
		s.check(err, "type into the forms of "+kind)
		secret := slices.ContainsFunc([]string{
			"/people", "/tokens", "/webhooks", "/endpoints", "/customer-imports", "/invoice-imports", "/payment-imports",
		},
			func(owners string) bool { return strings.HasPrefix(kind, owners) })
		empty := strings.HasSuffix(kind, "-batches/new") // without an invoice
		if typed == nil || secret || empty {
			kept := s.kept()
			assert.Thatf(t, len(kept) == 0, "%s leaves %q", kind, kept)
			return
		}
		restored = append(restored, kind)
		s.refresh()
		s.click(buttonRestore)
		found, err := s.page.Evaluate(fieldsOfTheForm)
		s.check(err, "read the fields of "+kind)
		assert.Thatf(t, found == typed, "%s has\n%s\nwant\n%s", kind, found, typed)
	}
	s.open("/login")
	look(s, "/login")
	s.login()
	s.visitLinkedPages(look)
	invoice := s.issuedByAPI(s.number(1))
	s.payByAPI(invoice, "23.00", "R-1")
	s.open(invoice)
	s.follow("Refund 23.00 EUR of it")
	look(s, "/payments/{id}/refunds/new")
	for _, form := range []string{"/send/new", "/payments/new", "/credit-notes/new"} {
		s.open(invoice + form)
		look(s, "/invoices/{id}"+form)
	}
	for _, kind := range []string{
		"/invoices/new", "/invoices/{id}/edit", "/customers/new", "/customers/{id}/edit", "/settings/edit",
	} {
		assert.Thatf(t, slices.Contains(restored, kind), "%s was not restored, only %q", kind, restored)
	}

	s.open("/people/new")
	s.fill(fieldEmail, s.email("grace"))
	s.click(buttonAddPerson)
	s.seesHeading(s.email("grace"))
	s.open(s.secret())
	look(s, "/join")
}

// The password in a form is not kept, even if the rest is.
func TestPasswordInAKeptForm(t *testing.T) {
	t.Parallel()
	s := loggedIn(t)
	s.open("/customers/new")
	s.storage(`() => document.querySelector("form[data-form-url]").insertAdjacentHTML("beforeend", '<input type=password name=pin>')`)
	s.check(s.page.Locator("[name=pin]").Fill("my secret"), "type a password")
	s.fill(fieldName, s.named("Ada Byron"))
	s.keeps(1)
	kept := s.kept()[0]
	assert.Thatf(t, !strings.Contains(kept, "my secret") &&
		strings.Contains(kept, s.named("Ada Byron")), "%s", kept)
}
