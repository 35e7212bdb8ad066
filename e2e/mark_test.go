package e2e

import (
	"crypto/rand"
	"fmt"
	"strings"
)

// Every record of a session carries its mark, so that parallel tests can share a business, and people recognize the records in a
// deployment. One search finds all.

// newMark returns a word such as E2E4f2a91c3.
func newMark() string {
	random := make([]byte, 4)
	_, _ = rand.Read(random) // never fails
	return fmt.Sprintf("E2E%x", random)
}

// number returns an invoice number that no other session uses, such as E2E4f2a91c3-1.
func (s *session) number(n int) string { return fmt.Sprintf("%s-%d", s.mark, n) }

// named returns a name that no other session uses, such as E2E4f2a91c3 Ada Byron.
func (s *session) named(name string) string { return s.mark + " " + name }

// email returns an address of a customer that no other session uses. Mail to it can never arrive (RFC 6761).
func (s *session) email(who string) string { return who + "@" + strings.ToLower(s.mark) + ".test" }
