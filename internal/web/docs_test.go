package web

import (
	"os"
	"strings"
	"testing"
)

// TestRulesNameEveryProblem: docs/idempotency.md stays complete.
func TestRulesNameEveryProblem(t *testing.T) {
	t.Parallel()
	rules, err := os.ReadFile("../../docs/idempotency.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems() {
		if !strings.Contains(string(rules), "`"+p.Slug+"`") {
			t.Errorf("docs/idempotency.md does not mention `%s`", p.Slug)
		}
	}
}
