// Package email has email addresses.
package email

import (
	"net/mail"
	"regexp"
	"strings"

	"golang.org/x/net/idna"

	"onlyonce/internal/invalid/text"
)

// Address is an email address as it was typed: ASCII, at most [Max] characters. Addresses that differ
// only in capitals are the same.
type Address string

// Typed returns an address without spaces around it, as [text.Clean] leaves it.
func Typed(typed string) Address { return Address(strings.TrimSpace(text.Clean(typed))) }

// Max is the longest address accepted, in characters (RFC 5321, section 4.5.3.1.3).
const Max = 254

// Folded returns the form in which addresses are compared, as the database does: small letters.
func (a Address) Folded() string { return strings.ToLower(string(a)) }

// MarshalText returns the folded form, so that a command is the same whatever the capitals of its email.
func (a Address) MarshalText() ([]byte, error) { return []byte(a.Folded()), nil }

// Problem returns what to do about an address, or "" if it is one.
func (a Address) Problem() string {
	const example = "Enter an email address like name@example.com."
	if !asciiAddress.MatchString(string(a)) {
		if name, domain, ok := strings.Cut(string(a), "@"); ok && isASCII(name) {
			if ascii, err := idna.Lookup.ToASCII(domain); err == nil && ascii != "" && ascii != domain {
				return "Write the domain in ASCII: " + name + "@" + ascii + "."
			}
		}
		return example
	}
	if parsed, err := mail.ParseAddress(string(a)); err != nil || parsed.Address != string(a) || len(a) > Max {
		return example
	}
	return ""
}

// asciiAddress is what the database holds as customers_email_ascii.
var asciiAddress = regexp.MustCompile(`^[!-?A-~]+@[!-?A-~]+$`)

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}
