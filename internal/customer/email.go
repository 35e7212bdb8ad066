package customer

import (
	"net/mail"
	"regexp"
	"strings"

	"golang.org/x/net/idna"
)

// Email is an email address as it was typed: ASCII, at most [MaxEmail] characters. Addresses that differ
// only in capitals are the same.
type Email string

// MaxEmail is the longest address accepted, in characters (RFC 5321, section 4.5.3.1.3).
const MaxEmail = 254

// Folded gives the form in which addresses are compared, as the column email_folded does.
func (e Email) Folded() string { return strings.ToLower(string(e)) }

// MarshalText gives the folded form, so that a command is the same whatever the capitals of its email.
func (e Email) MarshalText() ([]byte, error) { return []byte(e.Folded()), nil }

// problem says what to do about an address, or "" if it is one.
func (e Email) problem() string {
	const example = "Enter an email address like name@example.com."
	if e == "" {
		return "Enter the customer's email address."
	}
	if !asciiEmail.MatchString(string(e)) {
		if name, domain, ok := strings.Cut(string(e), "@"); ok && isASCII(name) {
			if ascii, err := idna.Lookup.ToASCII(domain); err == nil && ascii != "" && ascii != domain {
				return "Write the domain in ASCII: " + name + "@" + ascii + "."
			}
		}
		return example
	}
	if address, err := mail.ParseAddress(string(e)); err != nil || address.Address != string(e) || len(e) > MaxEmail {
		return example
	}
	return ""
}

// asciiEmail is the constraint customers_email_ascii.
var asciiEmail = regexp.MustCompile(`^[!-?A-~]+@[!-?A-~]+$`)

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}
