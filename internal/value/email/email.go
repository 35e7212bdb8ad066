// Package email has email addresses.
package email

import (
	"net/mail"
	"regexp"
	"strings"

	"golang.org/x/net/idna"

	"onlyonce/internal/invalid/text"
)

// Address is an email address as it was typed: ASCII, at most [Max] characters. Its case does not matter.
type Address string

// Typed returns an address without spaces around it and cleaned by [text.Clean].
func Typed(typed string) Address { return Address(strings.TrimSpace(text.Clean(typed))) }

// Max is the longest address accepted, in characters (RFC 5321, section 4.5.3.1.3).
const Max = 254

// Folded returns the lower-case form in which addresses are compared, as in the database.
func (a Address) Folded() string { return strings.ToLower(string(a)) }

// MarshalText returns the folded form, so that the case of an email does not make another command.
func (a Address) MarshalText() ([]byte, error) { return []byte(a.Folded()), nil }

// Problem returns the message for an invalid address, or "" for a valid one.
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

// asciiAddress is the pattern of the constraint customers_email_ascii.
var asciiAddress = regexp.MustCompile(`^[!-?A-~]+@[!-?A-~]+$`)

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}
