package e2e

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// Names without a space, right-to-left text, amounts at the limit and as many
// lines as there can be: no page may need scrolling sideways for them.

func TestExtremeContents(t *testing.T) {
	t.Parallel()
	for name, width := range widths {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, width)
			s.login()
			s.visitExtremes(func(s *session, where string) { s.isAccessibleIn([]theme{light}, where) })
		})
	}
}

func (s *session) visitExtremes(look func(*session, string)) {
	s.t.Helper()
	unbroken := strings.Repeat("Donaudampfschiffahrt", 10)
	unread := "customer@" + strings.Repeat("sub.", 40) + "example.com"
	extremes := []struct {
		what, email, name, currency  string
		lines                        int
		description, quantity, price string
	}{
		{"an unbroken name", unread, unbroken, "EUR", 3, strings.Repeat("W", 500), "1", "0.01"},
		{"right to left", "lina@example.com", "شركة الأمل للتجارة", "EUR", 2, "تصميم الموقع (v2.0) — 3 صفحات", "3", "1200.00"},
		{"very large amounts", "large@example.com", "Large & Sons", "JPY", 2, "Bridge", "1000000", "900000000"},
		{"200 lines", "many@example.com", "Many Lines", "EUR", 200, "Design", "1.5", "7.99"},
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
	s.fillInvoice("2026-7100")
	s.fill("Number", strings.Repeat("9", 41))
	s.fill("Customer name", unbroken+unbroken)
	s.fill("Notes", unbroken+"\n"+unbroken)
	s.create()
	s.sees("There is a problem")
	look(s, "extremes refused")
}

// createByAPI creates an invoice of so many equal lines, and gives the path of its page.
func (s *session) createByAPI(email, name, currency string, lines int, line map[string]string) string {
	s.t.Helper()
	all := make([]map[string]string, lines)
	for i := range all {
		all[i] = line
	}
	return s.post("/invoices", "extreme-"+email[:9], map[string]any{
		"customer": map[string]string{"email": email, "name": name}, "currency": currency,
		"issue_date": "2026-11-21", "due_date": "2026-12-21", "lines": all, "notes": name,
	})
}

// post sends a command to the API under a key, and gives the path of the page of what was created.
func (s *session) post(path, key string, command any) string {
	s.t.Helper()
	body, err := json.Marshal(command)
	s.check(err, "write the request")
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.origin+"/api/v1"+path, bytes.NewReader(body))
	s.check(err, "make the request")
	request.Header.Set("Authorization", "Bearer oo_demo_acme")
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", key)
	response, err := http.DefaultClient.Do(request)
	s.check(err, "ask the API")
	defer response.Body.Close()
	if response.StatusCode/100 != 2 {
		s.t.Fatalf("POST %s: %s", path, response.Status)
	}
	return strings.TrimPrefix(response.Header.Get("Location"), "/api/v1")
}
