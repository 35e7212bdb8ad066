package sitetest

import (
	"regexp"
	"strings"
)

// logs is the output of a test for the logs of its servers. The test fails if a line has a secret.
type logs struct{ b *Bundle }

func (l logs) Write(line []byte) (int, error) {
	if found := secretIn(string(line)); found != "" {
		l.b.Errorf("a line of the log has a secret (%s), which all readers of the log could use: log the id of the record or user. %s",
			found, line)
	}
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
