package web

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/conflict"
	"onlyonce/templates"
)

// TestConflictsOfStrangers: a conflict of a person without a login doesn't link the record of another one.
func TestConflictsOfStrangers(t *testing.T) {
	t.Parallel()
	for strangers, want := range map[bool]templates.Record{true: {}, false: {Name: "Ada", Href: "/bookings/" + uuid.Max.String()}} {
		m := &resource{many: "bookings", strangers: strangers}
		got, err := m.conflicting(httptest.NewRequest(http.MethodPost, "/bookings", nil), &conflict.Error{Existing: uuid.Max, Name: "Ada"})
		if err != nil || got != want {
			t.Errorf("strangers %v: %v, %v", strangers, got, err)
		}
	}
}
