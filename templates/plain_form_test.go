package templates_test

import (
	"net/url"
	"strings"
	"testing"

	"onlyonce/internal/must"
	"onlyonce/templates"
	"onlyonce/templates/viewtest"
)

// TestPlainFormKeepsPointsInTime: a refused form has a point in time as it was typed, and that of a record has it without its zone.
func TestPlainFormKeepsPointsInTime(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string][2]string{
		"2026-12-01T10:00":          {"2026-12-01T10:00", "datetime-local"},
		"2026-12-01T10:00:15":       {"2026-12-01T10:00:15", "datetime-local"},
		"2026-12-01T10:00:00Z":      {"2026-12-01T10:00", "datetime-local"},
		"2026-12-01T11:00:15+01:00": {"2026-12-01T10:00:15", "datetime-local"},
		"2026-12-01T10:00Z":         {"2026-12-01T10:00Z", "text"},
	} {
		var page strings.Builder
		form := templates.PlainForm(viewtest.Page(), templates.Form{Typed: url.Values{"starts": {typed}}},
			[]templates.Control{{Name: "starts", Label: "Starts", Kind: templates.Moment}})
		must.OK(t, form.Render(t.Context(), &page))
		_, control, _ := strings.Cut(page.String(), `name="starts"`)
		control, _, _ = strings.Cut(control, ">")
		must.Holdf(t, strings.Contains(control, `value="`+want[0]+`"`) && strings.Contains(control, `type="`+want[1]+`"`),
			"%q: %s, want %v", typed, control, want)
	}
}
