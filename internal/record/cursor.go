package record

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/url"
)

// Cursor is where a list goes on, as clients have it: they take it as it is. It belongs to one list with its filters
// and order, since in another one the place would mean nothing.
type Cursor struct {
	Of   string `json:"of"` // see [ListName]
	From Key    `json:"from"`
	Back bool   `json:"back,omitzero"`
}

// String returns the form that goes into an address.
func (c Cursor) String() string {
	text, err := json.Marshal(c)
	if err != nil {
		panic(err) // cannot be: it is texts
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// ParseCursor returns the cursor that a text is; ok is false if it is none of that list.
func ParseCursor(text, of string) (c Cursor, ok bool) {
	decoded, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || json.Unmarshal(decoded, &c) != nil {
		return c, false
	}
	return c, c.Of == of && c.From != Key{}
}

// ListName names a list by its path and parameters, whatever page of it is asked for.
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
