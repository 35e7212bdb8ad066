package idempotency

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
)

// MaxKeyLength is the longest key accepted, in characters.
const MaxKeyLength = 255

// Key identifies an intent. It has 1 to 255 printable ASCII characters, and neither starts nor ends with a space. The zero value is not a
// key.
type Key struct{ value string }

var (
	// ErrNoKey means that the key is empty or missing.
	ErrNoKey = errors.New("idempotency key missing")
	// ErrMalformedKey means that a value is not a valid key.
	ErrMalformedKey = errors.New("idempotency key malformed")
)

// NewKey returns a key for a new intent, a random UUID.
func NewKey() Key { return Key{uuid.NewString()} }

// String returns the key as the client sent it, without quotes.
func (k Key) String() string { return k.value }

// ParseKey parses the key in a form field. It returns [ErrNoKey] or [ErrMalformedKey].
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
	return Key{strings.Clone(s)}, nil // the key is kept in memory, and must not keep the request's body there
}

// ParseHeaderKey parses the value of an Idempotency-Key header: a bare key, or a quoted string of RFC 8941 (section 3.3.3) without
// parameters. A bare key can't have a comma, because proxies and clients join two lines of a header with one. It returns [ErrNoKey] or
// [ErrMalformedKey].
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

// ID returns the n-th id for the rows that the intent creates, a UUIDv7. It is the same each time the work is run. If the intent creates
// a record, its id is number 0; the others are for further rows.
func (i Intent) ID(n uint64) uuid.UUID { return idOf(i.attempt, n) }

// ID is [Intent.ID] of the transaction's intent.
func (tx *Tx) ID(n uint64) uuid.UUID { return idOf(tx.attempt, n) }

// idOf keeps the time of the attempt's id, so that new ids are close together in an index (RFC 9562, section 5.7), and derives the rest.
func idOf(attempt uuid.UUID, n uint64) uuid.UUID {
	if n == 0 {
		return attempt
	}
	derived := sha256.Sum256(binary.BigEndian.AppendUint64(attempt[:], n))
	id := attempt
	copy(id[6:], derived[:])
	id[6] = id[6]&0x0f | 0x70 // version 7
	id[8] = id[8]&0x3f | 0x80 // the variant of RFC 9562
	return id
}
