package sitetest

import (
	"regexp"
	"strings"
	"sync"
	"testing"

	"onlyonce/internal/assert"
)

// failures counts the failures of a test, or of a walk, by their format. The first three with the same format are reported.
type failures struct {
	mu    sync.Mutex
	alike map[string]int
}

const reported = 3

func newFailures(t *testing.T) *failures {
	t.Helper()
	f := &failures{alike: map[string]int{}}
	t.Cleanup(func() {
		for format, n := range f.alike {
			assert.Thatf(t, n <= reported, "and %d more like this: %s", n-reported, format)
		}
	})
	return f
}

// another counts a failure, and reports whether it is to be reported.
func (f *failures) another(format string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.alike[format]++
	return f.alike[format] <= reported
}

// Errorf is the test's Errorf for the first three failures with the same format.
func (b *Bundle) Errorf(format string, args ...any) {
	b.Helper()
	if b.failures.another(format) {
		b.T.Errorf(format, args...)
	}
	b.Fail()
}

// Fatalf is Errorf, and ends the test.
func (b *Bundle) Fatalf(format string, args ...any) {
	b.Helper()
	b.Errorf(format, args...)
	b.FailNow()
}

// logs is the output of a test for the logs of its servers. The test fails if a line has a secret.
type logs struct{ b *Bundle }

func (l logs) Write(line []byte) (int, error) {
	found := secretIn(string(line))
	assert.Thatf(l.b, found == "",
		"a line of the log has a secret (%s), which all readers of the log could use: log the id of the record or user. %s", found, line)
	return l.b.Output().Write(line)
}

// secretLike matches 256 bits as text, such as the token of a session, the secret of an API token or of a link. Two ids behind a slash, the
// address of a sender, are no secret.
var secretLike = regexp.MustCompile(`(?:^|[^\w/-])((?:oo_)?[\w-]{43})(?:$|[^\w-])`)

// secretIn returns a password, token or key in a text, or "".
func secretIn(text string) string {
	for _, known := range []string{Password, "token of Acme", "token of Globex"} {
		if strings.Contains(text, known) {
			return known
		}
	}
	for _, found := range secretLike.FindAllStringSubmatch(text, -1) {
		if strings.ContainsAny(found[1], "0123456789") && strings.ToLower(found[1]) != found[1] && strings.ToUpper(found[1]) != found[1] {
			return found[1]
		}
	}
	return ""
}
