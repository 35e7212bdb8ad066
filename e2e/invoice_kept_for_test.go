package e2e

import (
	"strings"
	"testing"

	"onlyonce/internal/app"
	"onlyonce/internal/assert"
)

// Text kept by a browser is for the person who typed it, and only while it is useful.

// Other people use the same browser, from another business and from the same one. Neither is offered anything, at any address.
func TestKeptTextIsForNobodyElse(t *testing.T) {
	onlyHere(t, "it needs people of two businesses")
	t.Parallel()
	s := start(t)
	_, err := s.db.Exec(t.Context(), `
		INSERT INTO users (tenant_id, email, password_hash)
		SELECT tenant_id, 'kim2@onlyonce.test', password_hash FROM users WHERE email = 'acme@onlyonce.test'`)
	s.check(err, "add a person")
	s.login()
	s.newInvoice()
	form := s.page.URL()
	s.fillInvoice(s.number(1))
	for _, other := range []string{"globex@onlyonce.test", "kim2@onlyonce.test"} {
		s.open("/login?switch")
		s.loginAs(other)
		for _, address := range []string{form, "/invoices/new"} {
			s.open(address)
			s.seesHeading(headingNewInvoice)
			s.isOfferedNothing()
			s.fill(fieldNotes, "of "+other)
			s.fill(fieldNotes, "")
		}
	}
	s.keeps(1)
	s.open("/login?switch")
	s.loginAs("acme@onlyonce.test")
	s.open(form)
	s.click(buttonRestore)
	s.holds(fieldNumber, s.number(1))
	for _, text := range s.kept() {
		assert.Thatf(t, !strings.Contains(text, "acme@onlyonce.test") && !strings.Contains(text, "Acme"),
			"the kept form names its owner: %s", text)
	}
}

// A form from one business, shown again to a person from a second one, is kept for neither of the two again.
func TestFormOfAnotherTenantIsNotKept(t *testing.T) {
	onlyHere(t, "it needs a login of a second business")
	t.Parallel()
	s := atForm(t)
	other := s.tab("/login?switch")
	other.loginAs("globex@onlyonce.test")
	s.fillInvoice(s.number(1))
	s.create()
	s.sees(saysOfOtherBusiness)
	s.fill(fieldNotes, "Thank you.")
	s.keeps(1)
	other.open("/invoices/new")
	other.seesHeading(headingNewInvoice)
	other.isOfferedNothing()

	s.click(buttonCreateItForOther)
	s.seesHeading(headingInvoice(s.number(1)))
	s.keeps(0)
	s.hasOneNew(s.number(1))
}

// Logging out removes the kept forms of all people, and at a path nothing of other apps on the host.
func TestNothingIsKeptAfterALogout(t *testing.T) {
	onlyHere(t, "it needs a login of a second business")
	t.Parallel()
	for name, path := range map[string]string{"of a host": "", "of a path": "/books"} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t)
			s.configure = func(c *app.Config) { c.PublicURL = "http://127.0.0.1" + path }
			s.findApp()
			s.origin += path
			s.openBrowser()
			s.login()
			s.newInvoice()
			form := s.page.URL()
			s.fillInvoice(s.number(1))
			s.open("/login?switch")
			s.loginAs("globex@onlyonce.test")
			s.newInvoice()
			s.fillInvoice(s.number(2))
			s.keeps(2)
			s.storage(`() => localStorage.setItem("neighbour", "keeps this")`)

			s.click(buttonLogOut)
			s.seesHeading(headingLogIn)
			s.keeps(0)
			left, err := s.page.Evaluate(`() => localStorage.getItem("neighbour") !== null`)
			assert.Thatf(t, left == (path != "") && err == nil, "what a neighbour keeps is left: %v, %v", left, err)
			s.loginAs("acme@onlyonce.test")
			s.open(form)
			s.isOfferedNothing()
		})
	}
}

// Kept text is dropped after a week, beyond twenty forms, and if it cannot be read.
func TestKeptTextEnds(t *testing.T) {
	t.Parallel()
	s := atFilledForm(t)
	form := s.page.URL()
	s.closeTab()
	s.open("/invoices")
	s.storage(`() => {
		const day = 24 * 60 * 60 * 1000;
		const [name] = Object.keys(localStorage);
		const mine = JSON.parse(localStorage.getItem(name));
		mine.versions[0].at -= 7 * day - 60 * 1000;
		localStorage.setItem(name, JSON.stringify(mine));
		for (let i = 0; i < 19; i++) {
			const other = { ...mine, key: "other" + i, person: "nobody", versions: [{ at: Date.now() - i, typed: [], seen: [] }] };
			localStorage.setItem("onlyonce form nobody other" + i, JSON.stringify(other));
		}
		localStorage.setItem("onlyonce form nobody other19", JSON.stringify({
			...mine, key: "other19", person: "nobody", versions: [{ at: Date.now() - 7 * day, typed: [], seen: [] }] }));
		localStorage.setItem("onlyonce form nobody spoilt", "{");
		localStorage.setItem("of another program", "stays");
	}`)
	s.open(form)
	s.keeps(20)
	s.isOffered(saysNotSavedFor6Days)
	s.storage(`() => localStorage.setItem("onlyonce form nobody one", JSON.stringify({
		person: "nobody", key: "one", url: "/", versions: [{ at: Date.now(), typed: [], seen: [] }] }))`)
	s.open(form)
	s.isOfferedNothing()
	s.keeps(20)
	n, err := s.page.Evaluate(`() => localStorage.getItem("of another program")`)
	assert.Thatf(t, err == nil && n == "stays", "the value of another program is %v, %v", n, err)
}

// A form that is too long is not kept. A part of its text must not be offered as if it were complete.
func TestFormThatIsTooLongIsNotKept(t *testing.T) {
	t.Parallel()
	s := atForm(t)
	s.fill(fieldNotes, "Thank you.")
	s.keeps(1)
	_, err := s.field(fieldNotes).Evaluate(`(notes) => {
		notes.value = "Thank you. ".repeat(10_000); // at once, since Playwright presses a key for each character in Firefox
		notes.dispatchEvent(new Event("input", { bubbles: true }));
	}`, nil)
	s.check(err, "paste a long text")
	s.keeps(0)
	s.fill(fieldNotes, "Thank you.")
	s.keeps(1)
}

// Forms work as usual when nothing can be kept: storage is forbidden, or full.
func TestFormsWithoutStorage(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]string{
		"forbidden": `Object.defineProperty(window, "localStorage", { get() { throw new DOMException("no", "SecurityError"); } })`,
		"full":      `for (let size = 1 << 22; size; size >>= 1) try { localStorage.setItem("full" + size, "x".repeat(size)); } catch {}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			s.check(s.browser.AddInitScript(playwrightScript("if (location.protocol === 'http:') {"+spoil+"}")), "spoil the storage")
			s.login()
			s.newInvoice()
			form := s.page.URL()
			s.fillTwoLines()
			s.refresh()
			s.isOfferedNothing()
			s.fillTwoLines()
			s.create()
			s.seesHeading(headingInvoice(s.number(1)))
			s.hasOneNew(s.number(1))
			s.open(form)
			s.sees("This form already created " + s.number(1) + ".")
			s.attempts("created")
		})
	}
}
