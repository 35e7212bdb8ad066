package torture

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestWhoASessionIs checks that each wrong answer to a browser breaks its rule.
func TestWhoASessionIs(t *testing.T) {
	t.Parallel()
	const (
		shows    = "a session shows the user who came in"
		ends     = "a session ends when the email of its user moves on"
		contract = "every answer is one that the contract knows"
	)
	for _, c := range []struct {
		name, email string // of the user who logged in
		answer      http.Handler
		want        string
	}{
		{"oneself", "sales-a@onlyonce.test", says("sales-a@onlyonce.test"), ""},
		{"somebody else", "sales-a@onlyonce.test", says("sales-b@onlyonce.test"), shows},
		{"nobody", "sales-a@onlyonce.test", http.RedirectHandler("/login?next=%2Faccount", http.StatusSeeOther), shows},
		{"moved on, nobody", "", http.RedirectHandler("/login?next=%2Faccount", http.StatusSeeOther), ""},
		{"moved on, oneself", "", says("moved-0-a@onlyonce.test"), ends},
		{"moved on, the next one", "", says("sales-a@onlyonce.test"), ends},
		{"moved on, broken", "", http.NotFoundHandler(), contract},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			app := httptest.NewServer(c.answer)
			defer app.Close()
			addr := strings.TrimPrefix(app.URL, "http://")
			m := &moving{}
			m.look(context.Background(), []*visitor{newVisitor([2]string{addr, addr}, c.email)})
			if got := len(m.found); got > 1 || (got == 1) != (c.want != "") || got == 1 && m.found[0].Rule != c.want {
				t.Errorf("got %v, want %q", m.found, c.want)
			}
		})
	}
}

func says(text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(text)) })
}
