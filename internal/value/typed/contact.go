package typed

import (
	"net/url"
	"regexp"
	"strings"

	"onlyonce/internal/invalid"
	"onlyonce/internal/value/email"
)

// Email returns an email address.
func Email(problems *invalid.Error, pointer, text string) string {
	address := email.Typed(text)
	if address == "" {
		return ""
	}
	if problem := address.Problem(); problem != "" {
		problems.Add(pointer, problem)
	}
	return string(address)
}

// maxURL is the longest address of a page, in characters.
const maxURL = 2000

// URL returns the address of a page on the web.
func URL(problems *invalid.Error, pointer, text string) string {
	text = problems.Line(pointer, "the address", text, maxURL)
	at, err := url.Parse(text)
	switch {
	case text == "":
	case err != nil, at.Scheme != "https" && at.Scheme != "http", at.Hostname() == "", at.User != nil, strings.Contains(text, " "):
		problems.Add(pointer, "Enter the address of a page, like https://example.com.")
	}
	return text
}

// maxPhone is the longest phone number, in characters.
const maxPhone = 40

var phone = regexp.MustCompile(`^\+?[ ()./-]*([0-9][ ()./-]*){3,15}$`)

// Phone returns a phone number as it was typed, with single spaces.
func Phone(problems *invalid.Error, pointer, text string) string {
	text = problems.Line(pointer, "the phone number", text, maxPhone)
	if text != "" && !phone.MatchString(text) {
		problems.Add(pointer, "Enter a phone number, like +353 1 555 0101.")
	}
	return text
}
