package record

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/url"
)

// Cursor is a place in a list, which clients pass on unchanged. It is valid only for one list, with its filters and order.
type Cursor struct {
	Of   string `json:"of"` // see [ListName]
	From Key    `json:"from"`
	Back bool   `json:"back,omitzero"`
}

// String returns the form for a URL.
func (c Cursor) String() string {
	text, err := json.Marshal(c)
	if err != nil {
		panic(err) // can't happen: its fields are strings
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// ParseCursor parses a cursor. ok is false unless it is a cursor of the list.
func ParseCursor(text, of string) (c Cursor, ok bool) {
	decoded, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || json.Unmarshal(decoded, &c) != nil {
		return c, false
	}
	return c, c.Of == of && c.From != Key{}
}

// ListName returns a name for a list, derived from its path and parameters, and the same for all its pages.
func ListName(path string, parameters url.Values) string {
	asked := url.Values{}
	for name, values := range parameters {
		if name != "cursor" && name != "limit" && values[0] != "" {
			asked[name] = values
		}
	}
	hash := sha256.Sum256([]byte(path + "?" + asked.Encode()))
	return base64.RawURLEncoding.EncodeToString(hash[:9])
}
