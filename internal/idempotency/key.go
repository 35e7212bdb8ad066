package idempotency

import (
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
)

// MaxKeyLength is the longest key accepted, in characters.
const MaxKeyLength = 255

// Key names an intent: 1 to 255 printable ASCII characters that neither start nor end with a space.
// The zero value is no key.
type Key struct{ value string }

var (
	// ErrNoKey means that there was no key at all.
	ErrNoKey = errors.New("idempotency key missing")
	// ErrMalformedKey means that there was something, but not a key.
	ErrMalformedKey = errors.New("idempotency key malformed")
)

// NewKey makes a key for a new intent: a random UUID.
func NewKey() Key { return Key{uuid.NewString()} }

// String returns the key as the client sent it, without quotes.
func (k Key) String() string { return k.value }

// ParseKey reads a key as it stands in a form field. It returns [ErrNoKey] or [ErrMalformedKey].
func ParseKey(s string) (Key, error) {
	if s == "" {
		return Key{}, ErrNoKey
	}
	if len(s) > MaxKeyLength {
		return Key{}, fmt.Errorf("%w: longer than %d characters", ErrMalformedKey, MaxKeyLength)
	}
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return Key{}, fmt.Errorf("%w: character %d is not printable ASCII", ErrMalformedKey, i+1)
		}
	}
	if s[0] == ' ' || s[len(s)-1] == ' ' {
		return Key{}, fmt.Errorf("%w: starts or ends with a space", ErrMalformedKey)
	}
	return Key{strings.Clone(s)}, nil // it is remembered, and must not keep the body that it stood in
}

// ParseHeaderKey reads the value of an Idempotency-Key header: bare, or a quoted string of RFC 8941
// (section 3.3.3) without parameters. Proxies and clients join two lines of a header with a comma, so a bare key has none.
// It returns [ErrNoKey] or [ErrMalformedKey].
func ParseHeaderKey(value string) (Key, error) {
	value = strings.Trim(value, " \t")
	if !strings.HasPrefix(value, `"`) {
		if strings.Contains(value, ",") {
			return Key{}, fmt.Errorf("%w: a comma joins two keys, so a key that has one must be quoted", ErrMalformedKey)
		}
		return ParseKey(value)
	}
	unquoted, err := unquote(value)
	if err != nil {
		return Key{}, err
	}
	return ParseKey(unquoted)
}

func unquote(quoted string) (string, error) {
	var b strings.Builder
	for i := 1; i < len(quoted); i++ {
		switch c := quoted[i]; {
		case c == '"' && i == len(quoted)-1:
			return b.String(), nil
		case c == '"':
			return "", fmt.Errorf("%w: text after the closing quote", ErrMalformedKey)
		case c == '\\':
			i++
			if i == len(quoted) || (quoted[i] != '"' && quoted[i] != '\\') {
				return "", fmt.Errorf(`%w: only \" and \\ are escapes`, ErrMalformedKey)
			}
			b.WriteByte(quoted[i])
		default:
			b.WriteByte(c)
		}
	}
	return "", fmt.Errorf("%w: no closing quote", ErrMalformedKey)
}
