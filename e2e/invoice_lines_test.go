package e2e

import (
	"testing"

	"github.com/playwright-community/playwright-go"

	"onlyonce/internal/assert"
)

// Lines are added and removed in the page or, without JavaScript, by the server. Either way the form keeps its key, and nothing is
// saved.

func TestAddAndRemoveLines(t *testing.T) {
	t.Parallel()
	inEach(t, withAndWithoutJavaScript, func(v variant) {
		s := atFilledForm(v.T, v.in)
		form := s.page.URL()
		s.fillLine(1, "A line too many", "1", "999.00", "7")

		s.click(buttonAddALine)
		s.isFocused(s.line(2).GetByLabel(fieldDescription))
		s.check(expect.Locator(s.line(2).GetByLabel(fieldQuantity)).ToHaveValue("1"), "start with one")
		if s.db != nil { // a deployment has other settings
			s.check(expect.Locator(s.line(2).GetByLabel(fieldTaxRate)).ToHaveValue("23"), "take the rate of the settings")
		}
		s.fillLine(2, "Design", "2", "50.00", "23")
		s.holds(fieldNumber, s.number(1))
		s.click(buttonRemoveLine1)
		s.check(expect.Locator(s.line(2)).ToBeHidden(), "see one line only")
		s.check(expect.Locator(s.line(1).GetByLabel(fieldDescription)).ToHaveValue("Design"), "keep the other line")
		s.isOnForm(form)
		s.hasNew(0)
		s.attempts()

		s.create()
		s.isDoneOnce(created(s.number(1)), "created")
		s.seesNot("A line too many")
	})
}

// TestEnterInALine moves to the next line, to a new line after the last, and from a blank one to the next field below. It sends
// nothing.
func TestEnterInALine(t *testing.T) {
	t.Parallel()
	s := atFilledForm(t)
	form := s.page.URL()
	s.check(s.line(1).GetByLabel(fieldUnitPrice).Focus(), "put the cursor into the first line")
	s.press("Enter")
	s.isFocused(s.line(2).GetByLabel(fieldDescription))
	s.press("Enter")
	s.isFocused(s.field(fieldNotes))
	s.check(s.line(1).GetByLabel(fieldDescription).Focus(), "go back to the first line")
	s.press("Enter")
	s.isFocused(s.line(2).GetByLabel(fieldDescription))
	s.check(expect.Locator(s.line(3)).ToBeHidden(), "have two lines")
	s.isOnForm(form)
	s.hasNew(0)
	s.attempts()
}

// The total and the button stay in sight with the focus in any line, also on a phone. They do not cover the focused element.
func TestTotalAndButtonStayInSight(t *testing.T) {
	t.Parallel()
	inEach(t, widths, func(v variant) {
		s := atFilledForm(v.T, v.in)
		for n := 2; n <= 12; n++ {
			s.click(buttonAddALine)
			in, err := s.line(n).GetByLabel(fieldDescription).BoundingBox()
			s.check(err, "find the line")
			bar, err := s.page.Locator(".finish").BoundingBox()
			s.check(err, "find the total")
			assert.Thatf(v, in.Y+in.Height <= bar.Y, "line %d ends at %v, and the total begins at %v", n, in.Y+in.Height, bar.Y)
		}
		_, err := s.page.Evaluate("() => scrollTo(0, 0)")
		s.check(err, "scroll to the top")
		s.check(expect.Locator(s.page.Locator(".finish").GetByText("Total")).ToBeInViewport(), "see the total")
		s.check(expect.Locator(s.button(buttonCreateInvoice)).ToBeInViewport(), "see the button")
	})
}

func TestTotalsFollowTheLines(t *testing.T) {
	t.Parallel()
	s := atForm(t)
	s.total("–")
	if s.db != nil { // a deployment has other settings
		s.check(expect.Locator(s.field(fieldTaxRate)).ToHaveValue("23"), "take the rate of the settings")
	}
	s.fillLine(1, "Third of a cent, away from zero", "0.1", "0.05", "0")
	s.total("0.01")
	s.click(buttonAddALine)
	s.total("0.01") // a blank line does not count
	s.fillLine(2, "Design", "2", "50.00", "23")
	s.total("123.01")
	s.fillLine(1, "Deposit", "-1", "20.00", "23")
	s.total("98.40")
	s.fillLine(1, "Deposit", "-3", "50.00", "23")
	s.total("–") // below zero
	s.click(buttonRemoveLine1)
	s.total("123.00")
	s.check(s.field(fieldUnitPrice).Fill("no number"), "type no number")
	s.total("–")
}

// TestTreatmentSetsTheRate: a line without tax has the rate 0, and gets its rate back when it is taxed. Only exempt lines ask for a reason.
func TestTreatmentSetsTheRate(t *testing.T) {
	t.Parallel()
	s := atForm(t)
	s.fillLine(1, "Design", "2", "50.00", "23")
	reason := s.field(fieldExemption)
	for _, c := range []struct {
		treatment, rate, total string
		asks                   bool
	}{
		{"Reverse charge", "0", "100.00", false}, {"Exempt", "0", "100.00", true}, {"Taxed", "23", "123.00", false},
		{"Export", "0", "100.00", false},
	} {
		_, err := s.field(fieldTreatment).SelectOption(playwright.SelectOptionValues{Labels: &[]string{c.treatment}})
		s.check(err, "choose "+c.treatment)
		s.holds(fieldTaxRate, c.rate)
		s.total(c.total)
		if visible, err := reason.IsVisible(); err != nil || visible != c.asks {
			t.Errorf("%s: the reason is visible: %t, %v", c.treatment, visible, err)
		}
	}
	s.click(buttonAddALine)
	s.check(expect.Locator(s.line(2).GetByLabel(fieldTreatment)).ToHaveValue(""), "begin as taxed")
}

// TestPreviewIsTheServers checks that the form shows the same total that the server would store, or none if the server would
// refuse.
func TestPreviewIsTheServers(t *testing.T) {
	t.Parallel()
	s := atFilledForm(t)
	for _, c := range []struct{ currency, quantity, price, discount, rate, total string }{
		{"EUR", "1", "0.085", "", "0", "0.09"}, {"EUR", "12345", "0,085", "", "0", "1,049.33"}, {"JPY", "1", "30000.50", "", "0", "30,001"},
		{"EUR", "5000", "0.000001", "", "0", "0.01"}, {"EUR", "1", "0.0000001", "", "0", "–"},
		{"EUR", "1000", "1.0005", "10%", "0", "900.45"},
		{"EUR", "1", "0.0800", "", "0", "0.08"},
		{"JPY", "1", "30000.00", "", "0", "30,000"}, {"JPY", "1", "30,000", "", "10", "33,000"}, {"KWD", "1", "1.250", "", "0", "1.250"},
		{"KWD", "1", "1,250", "", "0", "–"}, {"EUR", "1", "1,250", "", "0", "–"}, {"EUR", "1", "1.250,00", "", "0", "1,250.00"},
		{"EUR", "1", ",5", "", "0", "0.50"}, {"EUR", "1", ".5", "", "0", "0.50"}, {"EUR", "1", "5.", "", "0", "5.00"},
		{"EUR", "1", ".", "", "0", "–"},
		{"EUR", "1", "-3", "", "0", "–"}, {"EUR", "0", "3", "", "0", "–"}, {"EUR", "-1", "3", "", "0", "–"},
		{"EUR", "0.0000001", "3", "", "0", "–"},
		{"EUR", "0.0000010", "5000", "", "0", "0.01"},
		{"EUR", "1000000000", "1", "", "0", "1,000,000,000.00"}, {"EUR", "1000000001", "1", "", "0", "–"},
		{"EUR", "1", "90071992547409.91", "", "0", "90,071,992,547,409.91"}, {"EUR", "1", "90071992547409.92", "", "0", "–"},
		{"EUR", "1", "90071992547409.91", "", "1", "–"}, {"EUR", "1000000000", "90071992547409.91", "", "0", "–"},
		{"EUR", "2", "50.00", "", "9,975", "109.98"}, {"EUR", "2", "50.00", "", "23%", "123.00"},
		{"EUR", "2", "50.00", "", "100", "200.00"},
		{"EUR", "2", "50.00", "", "100.001", "–"}, {"EUR", "2", "50.00", "", "1.2345", "–"}, {"EUR", "2", "50.00", "", "-1", "–"},
		{"EUR", "2", "50.00", "", "", "–"}, {"EUR", "1", "000000000000000000000000000000001", "", "0", "–"},
		{"EUR", "12", "50.00", "10%", "0", "540.00"}, {"EUR", "3", "33.33", "10 %", "0", "89.99"}, {"EUR", "1", "0.05", "50%", "0", "0.02"},
		{"EUR", "0.5", "0.01", "100%", "0", "0.00"}, {"EUR", "1", "10", "2,50", "23", "9.23"}, {"EUR", "1", "10", "12,5%", "0", "8.75"},
		{"EUR", "1", "10.00", "10.01", "0", "–"}, {"EUR", "1", "10.00", "100.01%", "0", "–"}, {"EUR", "1", "10.00", "33.333%", "0", "–"},
		{"EUR", "1", "10.00", "-1", "0", "–"}, {"EUR", "1", "9000", "1.250", "0", "–"}, {"JPY", "3", "333", "5%", "0", "949"},
		{"JPY", "1", "10", "0.5", "0", "–"}, {"EUR", "1", "10.00", "%", "0", "–"}, {"EUR", "1", "10.00", "0", "0", "10.00"},
	} {
		_, err := s.field(fieldCurrency).SelectOption(playwright.SelectOptionValues{Values: &[]string{c.currency}})
		s.check(err, "choose the currency")
		s.fillLine(1, "Design", c.quantity, c.price, c.rate)
		s.check(s.field(fieldDiscount).Fill(c.discount), "type the discount")
		s.total(c.total)
		server, err := s.page.Evaluate(`async () => {
			const form = document.querySelector("form[data-invoice]");
			const answer = await fetch("/invoices/form", { method: "POST", body: new URLSearchParams(new FormData(form)) });
			const page = new DOMParser().parseFromString(await answer.text(), "text/html");
			return page.querySelector("[data-total=total]").textContent;
		}`)
		if s.check(err, "ask the server"); server != c.total {
			t.Errorf("%+v: the server has the total %v", c, server)
		}
	}
}

// Without a script, Enter in a line means Create, not the first button on the page.
func TestEnterCreates(t *testing.T) {
	t.Parallel()
	s := atFilledForm(t, withoutJavaScript)
	s.check(s.field(fieldUnitPrice).Focus(), "put the cursor into the field")
	s.press("Enter")
	s.isDoneOnce(created(s.number(1)))
}

// TestNumbersAsPeopleWriteThem shows how a number was read before anything is saved: in the page or, without JavaScript, in the
// form that is shown again. A number with two readings leads to a question, which names the line.
func TestNumbersAsPeopleWriteThem(t *testing.T) {
	t.Parallel()
	inEach(t, withAndWithoutJavaScript, func(v variant) {
		s := atFilledForm(v.T, v.in, onPhone)
		s.fillLine(1, "Design", "1", "1.250,00", "0")
		s.click(buttonAddALine)
		s.fillLine(2, "Printing", "1.250", "2", "0")
		s.click(buttonCreateInvoice)
		s.sees("Line 2: “1.250” can be 1250 or 1.25. Enter the one that you mean.")
		s.check(expect.Locator(s.line(1).GetByLabel(fieldUnitPrice)).ToHaveValue("1250.00"), "see what the price was read as")
		s.hasNew(0)

		s.check(s.line(2).GetByLabel(fieldQuantity).Fill("1.25"), "say which one it is")
		s.create()
		s.sees("1,252.50")
		s.hasOneNew(s.number(1))
	})
}
