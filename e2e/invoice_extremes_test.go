package e2e

import (
	"strings"
	"testing"

	"onlyonce/internal/assert"
)

// Names without a space, right-to-left text, amounts at the limit and the maximum number of lines: no page may need sideways
// scrolling.

func TestExtremeContents(t *testing.T) {
	t.Parallel()
	s := loggedIn(t)
	s.visitExtremes(func(s *session, where string) {
		s.isAccessibleIn([]view{
			{"reflow", 320, inLight, sideways}, {"narrow", 390, inLight, sideways}, {"wide", 1280, inLight, sideways},
		}, where)
	})
}

func (s *session) visitExtremes(look func(*session, string)) {
	s.t.Helper()
	unbroken := s.mark + strings.Repeat("Donaudampfschiffahrt", 9)
	unread := "customer@" + strings.Repeat("sub.", 40) + s.mark + ".test"
	extremes := []struct {
		what, email, name, currency  string
		lines                        int
		description, quantity, price string
	}{
		{"an unbroken name", unread, unbroken, "EUR", 3, strings.Repeat("W", 500), "1", "0.01"},
		{"right to left", s.email("lina"), "شركة الأمل للتجارة " + s.mark, "EUR", 2, "تصميم الموقع (v2.0) — 3 صفحات", "3", "1200.00"},
		{"very large amounts", s.email("large"), s.named("Large & Sons"), "JPY", 2, "Bridge", "1000000", "900000000"},
		{"200 lines", s.email("many"), s.named("Many Lines"), "EUR", 200, "Design", "1.5", "7.99"},
	}
	for _, e := range extremes {
		path := s.createByAPI(e.email, e.name, e.currency, e.lines, map[string]string{
			"description": e.description, "quantity": e.quantity, "unit_price": e.price, "tax_rate": "23",
		})
		s.open(path)
		look(s, e.what)
		s.open("/invoices/new?copy=" + strings.TrimPrefix(path, "/invoices/"))
		look(s, "a copy of "+e.what)
	}
	for _, path := range []string{"/invoices", "/customers"} {
		s.open(path)
		look(s, "extremes in "+path)
	}
	s.newInvoice()
	s.fillInvoice(s.number(1))
	s.fill(fieldNumber, strings.Repeat("9", 41))
	s.fill(fieldCustomerName, unbroken+unbroken)
	s.fill(fieldNotes, unbroken+"\n"+unbroken)
	s.create()
	s.sees(saysProblem)
	look(s, "extremes refused")
}

// A long name of a business leaves the brand and the logout button in one row.
func TestLongNameInHeader(t *testing.T) {
	t.Parallel()
	s := loggedIn(t)
	for _, width := range []int{390, 1280} {
		s.check(s.page.SetViewportSize(width, 900), "set the width")
		s.open("/home")
		inOneRow, err := s.page.Evaluate(`() => {
			const middle = (selector) => {
				const box = document.querySelector(selector).getBoundingClientRect();
				return box.top + box.height / 2;
			};
			document.querySelector(".who").textContent = "The Long Name of a Holding and Trading Company ".repeat(3);
			return [".who", ".logout"].every((part) => Math.abs(middle(part) - middle(".brand")) < 4);
		}`)
		s.check(err, "measure the header")
		assert.Thatf(t, inOneRow == true, "at %d px the header is not in one row", width)
	}
}

// createByAPI creates an invoice with a number of equal lines, and returns the path of its page.
func (s *session) createByAPI(email, name, currency string, lines int, line map[string]string) string {
	s.t.Helper()
	all := make([]map[string]string, lines)
	for i := range all {
		all[i] = line
	}
	return s.post("/invoices", "extreme-"+email[:9], map[string]any{
		"number": s.mark + "-" + email[:4], "customer": map[string]string{"email": email, "name": name}, "currency": currency,
		"issue_date": "2026-11-21", "due_date": "2026-12-21", "lines": all, "notes": name,
	})
}
