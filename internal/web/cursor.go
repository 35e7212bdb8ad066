package web

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"onlyonce/internal/record"
)

// cursor is where a list goes on. It belongs to one list with its filters and order: in another one the place would
// mean nothing. Clients take it as it is.
type cursor struct {
	Of   string     `json:"of"`
	From record.Key `json:"from"`
	Back bool       `json:"back,omitzero"`
}

func (c cursor) String() string {
	text, _ := json.Marshal(c) // texts only
	return base64.RawURLEncoding.EncodeToString(text)
}

// cursorOf reads a cursor of the list that a request asks for; ok is false if it is none.
func cursorOf(r *http.Request, text string) (c cursor, ok bool) {
	decoded, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || json.Unmarshal(decoded, &c) != nil {
		return c, false
	}
	return c, c.Of == listOf(r) && c.From != record.Key{}
}

// listOf names the list that a request asks for, whatever page of it and in whatever format.
func listOf(r *http.Request) string {
	asked := url.Values{}
	for name, values := range r.URL.Query() {
		if name != "cursor" && name != "limit" && values[0] != "" {
			asked[name] = values
		}
	}
	hash := sha256.Sum256([]byte(strings.TrimPrefix(r.URL.Path, apiPrefix) + "?" + asked.Encode()))
	return base64.RawURLEncoding.EncodeToString(hash[:9])
}
