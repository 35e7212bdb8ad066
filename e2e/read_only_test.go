package e2e

import (
	"strings"
	"testing"
)

// TestReadOnlyPerson adds a read-only person as an owner. The person sees each list and one record, without a button that would
// change anything, and an explanation at addresses of forms.
func TestReadOnlyPerson(t *testing.T) {
	onlyHere(t, "it adds a person, who would stay")
	t.Parallel()
	s := start(t)
	s.login()
	s.addCustomer(s.email("ada"), s.named("Ada Byron"))
	customer := s.page.URL()
	s.open("/people/new")
	s.fill(fieldEmail, "auditor@example.test")
	s.choose(fieldRole, roleReadOnly)
	s.click(buttonAddPerson)
	s.seesHeading("auditor@example.test")
	link := s.secret()

	auditor := s.elsewhere()
	auditor.open(strings.TrimPrefix(link, s.origin))
	auditor.fill(fieldPassword, "a long passphrase")
	auditor.click(buttonChoosePassword)
	auditor.isLoggedIn()
	auditor.follow("Acme Studio")
	auditor.sees("Read-only")
	auditor.seesEveryList()
	auditor.open(customer)
	auditor.seesHeading(s.named("Ada Byron"))
	auditor.offersNothing()

	before := s.count(`SELECT count(*) FROM intents`)
	for _, typed := range []string{"/customers/new", customer + "/edit"} {
		auditor.open(typed)
		auditor.seesHeading(headingForMembersOnly)
		auditor.sees("Ask an owner of the business to make you a member")
	}
	auditor.isAccessible("what is for members only")
	auditor.open("/people")
	auditor.seesHeading(headingForOwnersOnly)
	if after := s.count(`SELECT count(*) FROM intents`); after != before {
		t.Errorf("%d intents, and %d before", after, before)
	}
}

// seesEveryList opens the pages in the navigation, and the first record of each list. It skips the lab, whose buttons are for all
// roles.
func (s *session) seesEveryList() {
	s.t.Helper()
	lists := s.addresses(`nav[aria-label="Main"] a:not([href^="/lab"])`)
	records := 0
	for _, list := range lists {
		s.open(list)
		s.offersNothing()
		first := s.addresses(`main table.list tbody th a`)
		if len(first) == 0 {
			continue
		}
		s.open(first[0])
		s.offersNothing()
		records++
	}
	if len(lists) < 3 || records < 1 {
		s.t.Errorf("saw the lists %q, and %d records", lists, records)
	}
}

// addresses returns the targets of links.
func (s *session) addresses(links string) (all []string) {
	s.t.Helper()
	found, err := s.page.Locator(links).All()
	s.check(err, "find the links")
	for _, link := range found {
		address, err := link.GetAttribute("href")
		s.check(err, "read a link")
		all = append(all, address)
	}
	return all
}

// offersNothing fails if the page has a form that would change something, or a link to one.
func (s *session) offersNothing() {
	s.t.Helper()
	s.check(expect.Locator(s.page.Locator("h1")).ToBeVisible(), "see a heading")
	n, err := s.page.Locator(`main form[method="post"], main a[href$="/new"], main a[href$="/edit"]`).Count()
	if s.check(err, "look for buttons"); n != 0 {
		s.t.Errorf("%s offers %d buttons", s.page.URL(), n)
	}
}
