package e2e

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"onlyonce/internal/assert"
)

// Each button is tried with each habit that can repeat it: it takes effect once, and the page has a message about it.

// button is a row of the table: a button, and the form that it sends.
type button struct {
	press  string
	open   func()         // opens the page with the button
	fill   func(*session) // fills in the form
	enter  string         // a field in which Enter sends the form; "" without one
	writes string         // the table that is locked while clicks repeat the button

	first  string      // the outcome of the first attempt
	done   string      // the message of the first attempt
	again  string      // the message of a repeat with the same key
	proves func(n int) // checks the records after the button took effect n times

	// For a second tab with its own key:
	second, elsewhere string // the outcome and the message of its attempt; "" if it isn't tried

	// For Back, and another input:
	used    string            // on the form that was used
	now     string            // a text there with an amount that the first attempt changed; "" for none
	other   map[string]string // by field
	refused []string          // texts on the page that refuses the other input
	anyway  string            // the button there that uses it; "" if Back isn't tried

	slowly bool   // the next page is clicked at the place of the button
	after  func() // is open, with a message on the page before; nil if there is none
}

// allButtons returns the rows of the table.
func allButtons() map[string]func(*session) button {
	all := map[string]func(*session) button{
		"create customer": createCustomer, "edit customer": editCustomer,
		"archive": archiveCustomer, "restore": restoreCustomer, "erase": eraseCustomer,
		"create token": createToken, "add person": addPerson,
	}
	maps.Copy(all, invoiceButtons())
	return all
}

// habit is a column of the table.
type habit struct {
	name     string
	in       []option
	chromium string // why it is tried only there
	fits     func(button) bool
	try      func(*session, button)
}

// habits returns the columns of the table.
func habits() []habit {
	const keeps = "Back to an answer that isn't cached shows the browser's error page"
	always := func(button) bool { return true }
	entered := func(b button) bool { return b.enter != "" }
	backed := func(b button) bool { return b.anyway != "" }
	slowly := func(b button) bool { return b.slowly }
	after := func(b button) bool { return b.after != nil }
	twice := func(b button) bool { return b.second != "" }
	scriptless, phone, cached, wired := []option{withoutJavaScript}, []option{onPhone}, []option{keepingPages}, []option{throughWire}
	return []habit{
		{name: "five clicks", fits: always, try: clicksFiveTimes},
		{name: "five clicks without JavaScript", in: scriptless, fits: always, try: clicksFiveTimesWithoutJavaScript},
		{name: "Enter then a click", fits: entered, try: entersThenClicks},
		{name: "the browser sends again", in: wired, fits: always, try: loses},
		{name: "a duplicated tab", in: scriptless, fits: entered, try: duplicatesTheTab},
		{name: "F5 before the answer", fits: backed, try: refreshes},
		{name: "two tabs", in: scriptless, fits: twice, try: opensItTwice},
		{name: "Back", chromium: keeps, in: cached, fits: backed, try: goesBack(true, true)},
		{name: "Back without page cache", chromium: keeps, fits: backed, try: goesBack(false, true)},
		{name: "Back without JavaScript", chromium: keeps, in: scriptless, fits: backed, try: goesBack(false, false)},
		{name: "a slow double click", fits: slowly, try: clicksSlowly},
		{name: "a slow double click on a phone", in: phone, fits: slowly, try: clicksSlowly},
		{name: "a slow double click after a message", fits: after, try: clicksSlowlyAfter},
		{name: "a slow double click after a message on a phone", in: phone, fits: after, try: clicksSlowlyAfter},
	}
}

// TestHabits tries each button with each habit that fits. The cells of a row share an app, and each has its own browser and records.
func TestHabits(t *testing.T) {
	t.Parallel()
	for name, of := range allButtons() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := start(t)
			row := of(app)
			app.login()
			login := app.cookies() // used by all cells, since an app limits logins
			for _, h := range habits() {
				if h.fits(row) {
					t.Run(h.name, func(t *testing.T) {
						s := app.cell(t, h, login)
						h.try(s, of(s))
					})
				}
			}
		})
	}
}

// cell returns a session with the same app, a new mark and a new browser.
func (s *session) cell(t *testing.T, h habit, login []playwright.OptionalCookie) *session {
	t.Helper()
	c := *s
	c.t, c.mark, c.form, c.story = t, newMark(), &formLog{}, newStory()
	c.log.tellf = c.tellf
	if h.chromium != "" {
		onlyInChromium(t, h.chromium)
	}
	if d := deployed(); d != nil {
		c.reach(d)
	} else {
		c.findRecords()
	}
	c.openBrowser(h.in...)
	c.check(c.browser.AddCookies(login), "use the login of the row")
	return &c
}

// begin opens the page with the button, and fills in the form.
func (b button) begin(s *session) {
	s.t.Helper()
	b.open()
	b.fill(s)
	s.log.forget()
}

// ends checks the page, the attempts, and that the button took effect once.
func (b button) ends(s *session, message string, attempts ...string) {
	s.t.Helper()
	s.sees(message)
	s.hasNoAlert()
	s.moment()
	s.attempts(attempts...)
	b.proves(1)
}

// clicksFiveTimes checks that the form lock holds back four clicks.
func clicksFiveTimes(s *session, b button) {
	b.begin(s)
	if b.enter != "" {
		s.listenToForm()
	}
	release := s.lock(b.writes)
	s.pointAt(b.press)
	s.tap(2)
	s.waiting(1)
	s.tap(3)
	if b.enter != "" {
		s.formSaid("sent", "kept back")
	}
	release()
	b.ends(s, b.done, b.first)
}

// clicksFiveTimesWithoutJavaScript sends all clicks, and the server carries out the first one.
func clicksFiveTimesWithoutJavaScript(s *session, b button) {
	b.begin(s)
	release := s.lock(b.writes)
	s.pointAt(b.press)
	for click := range 5 {
		s.tap(1)
		s.waiting(click + 1)
	}
	release()
	b.ends(s, b.again, b.first, "replayed", "replayed", "replayed", "replayed")
}

func entersThenClicks(s *session, b button) {
	b.begin(s)
	release := s.lock(b.writes)
	s.pointAt(b.press)
	s.check(s.field(b.enter).Focus(), "go into the form")
	s.press("Enter")
	s.waiting(1)
	s.tap(1)
	release()
	b.ends(s, b.done, b.first)
}

// refreshes presses F5 before the answer, sends the empty form again, and presses F5 on the answer.
func refreshes(s *session, b button) {
	b.begin(s)
	form := s.page.URL()
	release := s.lock(b.writes)
	for i := range 2 {
		s.pointAt(b.press)
		s.tap(1)
		s.waiting(i + 1)
		if i == 0 {
			s.refresh()
			s.isOnForm(form)
			b.fill(s)
		}
	}
	release()
	b.ends(s, b.again, b.first, "replayed")
	s.refresh()
	s.seesNot(b.again)
	b.proves(1)
	s.attempts(b.first, "replayed")
}

// loses cuts the connection before the answer. Without a further click, the browser sends the form again.
func loses(s *session, b button) {
	b.begin(s)
	before := s.wire.arrived()
	s.wire.resetNext()
	s.click(b.press)
	b.ends(s, b.again, b.first, "replayed")
	n := s.wire.arrived() - before
	assert.Thatf(s.t, n == 2, "one click sent %d POSTs, want 2: the browser no longer resends a form", n)
}

// duplicatesTheTab sends a form from two tabs at once: the address has its key, so it is the same intent. Either tab may show the
// message of the other.
func duplicatesTheTab(s *session, b button) {
	b.begin(s)
	other := s.tab(s.page.URL())
	b.fill(other)
	form := s.page.URL()
	b.sendBoth(s, other)
	for _, tab := range []*session{s, other} {
		s.check(expect.Page(tab.page).Not().ToHaveURL(form), "leave the form")
		tab.hasNoAlert()
	}
	s.attempts(b.first, "replayed")
	b.proves(1)
}

// opensItTwice sends three forms with a key each: two at once, and one later.
func opensItTwice(s *session, b button) {
	b.begin(s)
	address, _, _ := strings.Cut(s.page.URL(), "?")
	other, late := s.tab(address), s.tab(address)
	b.fill(other)
	b.fill(late)
	b.sendBoth(s, other)
	if b.second == "conflict" { // otherwise either tab may show the message of the other
		s.sees(b.done)
		other.sees(b.elsewhere)
	}
	s.attempts(b.first, b.second)
	b.proves(1)
	late.click(b.press)
	late.sees(b.elsewhere)
	if b.second == "unchanged" {
		late.hasNoAlert()
	}
	late.moment()
	b.proves(1)
	s.attempts(b.first, b.second, b.second)
}

// sendBoth sends the forms of two tabs while the first one waits for a lock.
func (b button) sendBoth(s, other *session) {
	s.t.Helper()
	release := s.lock(b.writes)
	for i, tab := range []*session{s, other} {
		tab.pointAt(b.press)
		tab.tap(1)
		s.until("it waits", func() bool { return s.inProgress() == i+1 })
	}
	release()
}

// goesBack goes back to the form, sends it again, and then with another input. The other input is refused, and used after a click.
func goesBack(cached, javaScript bool) func(*session, button) {
	return func(s *session, b button) {
		b.begin(s)
		form := s.page.URL()
		isBack := func(first bool) {
			s.t.Helper()
			s.back()
			s.isOnForm(form)
			if javaScript {
				s.hasMark(cached)
				notice := s.page.GetByRole("alert")
				s.check(expect.Locator(notice).ToContainText(b.used), "see that the form is used")
				if first {
					s.isFocused(notice)
				}
				s.check(expect.Locator(notice.GetByRole("link").First()).ToBeVisible(), "find a link to the record")
				s.sees(b.now)
			}
			if !cached {
				b.fill(s)
			}
		}
		if javaScript {
			s.leaveMark()
		}
		s.click(b.press)
		s.sees(b.done)
		isBack(true)
		s.click(b.press)
		b.ends(s, b.again, b.first, "replayed")

		isBack(false)
		for field, text := range b.other {
			s.fill(field, text)
		}
		s.click(b.press)
		for _, text := range b.refused {
			s.sees(text)
		}
		for field, text := range b.other {
			s.holds(field, text)
		}
		s.moment()
		b.proves(1)
		s.click(b.anyway)
		s.seesNot(b.refused[0])
		s.attempts(b.first, "replayed", "mismatch", b.first)
		b.proves(2)
	}
}

// clicksSlowly clicks again on the next page, at the same place. Nothing there may change a record.
func clicksSlowly(s *session, b button) {
	b.begin(s)
	s.clickSlowlyTwice(b.press, b.done)
	b.proves(1)
}

func clicksSlowlyAfter(s *session, b button) {
	b.open = b.after
	clicksSlowly(s, b)
}

// Rows about customers and people.

func createCustomer(s *session) button {
	return button{
		press: buttonCreateCustomer, enter: fieldName, writes: "customers",
		open:  func() { s.open("/customers/new") },
		fill:  func(s *session) { s.fill(fieldEmail, s.email("ada")); s.fill(fieldName, s.named("Ada Byron")) },
		first: "created", done: "Customer " + s.named("Ada Byron") + " created.", again: ignoredAgain,
		proves: func(n int) { s.counts(n, `SELECT count(*) FROM customers WHERE starts_with(name, $1)`, s.mark) },
		used:   alreadyCreated(s.named("Ada Byron")), refused: []string{alreadyCreated(s.named("Ada Byron")) + " " + changesNotSaved},
		other: map[string]string{fieldEmail: s.email("grace")}, anyway: "Create as a new customer",
	}
}

func editCustomer(s *session) button {
	return button{
		press: buttonSaveChanges, enter: fieldName, writes: "customers",
		open:  func() { s.addAda(); s.edit() },
		fill:  func(s *session) { s.fill(fieldName, s.named("Ada King")) },
		first: "changed", done: saved(s.named("Ada King")), again: ignoredSecondEdit,
		proves:  func(n int) { s.hasChanged(slices.Repeat([]string{"customer.edit"}, n)...) },
		used:    alreadySaved(s.named("Ada King")),
		other:   map[string]string{fieldName: s.named("Ada Lovelace")},
		refused: []string{alreadySaved(s.named("Ada King")) + " What you typed after that wasn't saved.", "Differs"},
		anyway:  buttonSaveTheseChangesToo,
	}
}

func archiveCustomer(s *session) button {
	ada := s.named("Ada Byron")
	return button{
		press: buttonArchive, writes: "customers", fill: nothing,
		open: s.addAda, after: func() { s.addCustomer(s.email("ada"), ada) },
		first: "changed", done: archived(ada), again: ignoredSecondEdit, second: "unchanged", elsewhere: ada + " was already archived.",
		proves: func(n int) { s.hasChanged(slices.Repeat([]string{"customer.archive"}, n)...) },
		slowly: true,
	}
}

func restoreCustomer(s *session) button {
	ada := s.named("Ada Byron")
	return button{
		press: buttonRestore, writes: "customers", open: func() { s.archiveAda(); s.reopen() }, after: s.archiveAda, fill: nothing,
		first: "changed", done: restored(ada), again: ignoredSecondEdit, second: "unchanged", elsewhere: ada + " was already restored.",
		proves: func(n int) {
			s.hasChanged(append([]string{"customer.archive"}, slices.Repeat([]string{"customer.restore"}, n)...)...)
		},
		slowly: true,
	}
}

func eraseCustomer(s *session) button {
	onlyHere(s.t, "it erases a customer, whose mark would be lost")
	return button{
		press: buttonEraseForGood, enter: fieldReason, writes: "customers",
		open:  func() { s.archiveAda(); s.reopen(); s.follow(linkErase) },
		after: func() { s.archiveAda(); s.follow(linkErase) },
		fill:  func(s *session) { s.fill(fieldReason, s.mark) },
		first: "created", done: saysErased, again: ignoredSecondErasure, second: "reused",
		elsewhere: "The personal data of this customer was already erased. Nothing was changed.",
		proves: func(n int) {
			s.counts(n, `SELECT count(*) FROM customer_erasures WHERE reason = $1`, s.mark)
			s.counts(0, `SELECT count(*) FROM customers WHERE starts_with(name, $1)`, s.mark)
		},
		slowly: true,
	}
}

func createToken(s *session) button {
	onlyHere(s.t, "it makes a token, which would stay")
	return button{
		press: buttonCreateToken, enter: fieldName, writes: "api_tokens",
		open:  func() { s.open("/tokens/new") },
		fill:  func(s *session) { s.fill(fieldName, s.named("shop")) },
		first: "created", done: "Token " + s.named("shop") + " created.", again: ignoredAgain,
		proves: func(n int) { s.counts(n, `SELECT count(*) FROM api_tokens WHERE name = $1`, s.named("shop")) },
	}
}

func addPerson(s *session) button {
	onlyHere(s.t, "it adds a person, who would stay")
	return button{
		press: buttonAddPerson, enter: fieldPersonName, writes: "users",
		open:  func() { s.open("/people/new") },
		fill:  func(s *session) { s.fill(fieldEmail, s.email("grace")); s.fill(fieldPersonName, "Grace Hopper") },
		first: "created", done: saysInvited, again: ignoredAgain,
		proves: func(n int) { s.counts(n, `SELECT count(*) FROM users WHERE email = $1`, s.email("grace")) },
	}
}

// nothing fills in no form.
func nothing(*session) {}

// counts checks the number of rows that a query finds, if the test has the database.
func (s *session) counts(want int, query, argument string) {
	s.t.Helper()
	if s.db == nil {
		return
	}
	n := s.count(query, argument)
	s.tellf(byRecords, "records: %d", n)
	assert.Thatf(s.t, n == want, "%d records, want %d", n, want)
}
