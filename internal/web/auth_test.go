package web_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"onlyonce/internal/web"
)

// TestSessionSecretIsHidden checks that a log line with the caller of a request doesn't have the secret of the session.
func TestSessionSecretIsHidden(t *testing.T) {
	t.Parallel()
	var lines strings.Builder
	caller := web.Caller{Name: "Ada", Secret: "session"}
	for _, h := range []slog.Handler{slog.NewTextHandler(&lines, nil), slog.NewJSONHandler(&lines, nil)} {
		slog.New(h).Info("page", "by", caller, "of", caller.Secret, "text", fmt.Sprintf("%+v %q", caller, caller.Secret))
	}
	if said := lines.String(); strings.Count(said, "Ada") != 4 || strings.Contains(strings.ReplaceAll(said, "[session]", ""), "session") {
		t.Error(said)
	}
}
