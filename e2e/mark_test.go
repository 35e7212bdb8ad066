package e2e

import (
	"crypto/rand"
	"fmt"
	"strings"
)

// Everything that a session makes carries its mark, so that parallel tests can share one business, and people who meet it
// in a deployment know what it is. One search finds all of it.

// newMark is one word, such as E2E4f2a91c3.
func newMark() string {
	random := make([]byte, 4)
	_, _ = rand.Read(random) // never fails
	return fmt.Sprintf("E2E%x", random)
}

// number is a number for an invoice that no other session uses, such as E2E4f2a91c3-1.
func (s *session) number(n int) string { return fmt.Sprintf("%s-%d", s.mark, n) }

// named is a name that no other session uses, such as E2E4f2a91c3 Ada Byron.
func (s *session) named(name string) string { return s.mark + " " + name }

// email is an address of a customer that no other session uses. Nobody can ever get mail there (RFC 6761).
func (s *session) email(who string) string { return who + "@" + strings.ToLower(s.mark) + ".test" }
