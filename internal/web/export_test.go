package web

import (
	"net/http"
	"net/http/httptest"

	"onlyonce/internal/record"
)

// CursorAt is the cursor of the list at an address that goes on from a key, or back from it.
func CursorAt(target, first, second string, back bool) string {
	r := httptest.NewRequest(http.MethodGet, target, nil)
	return cursor{listOf(r), record.Key{first, second}, back}.String()
}
