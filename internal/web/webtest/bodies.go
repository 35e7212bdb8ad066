// Package webtest helps to test what reads the bodies of requests.
package webtest

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
)

// MaxBody is the largest body that the server takes, in bytes.
const MaxBody = 1 << 20

// HostileBodies are of the largest size, and made to cost as much as possible.
func HostileBodies() map[string]string {
	var names strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&names, `"%x":1,`, i)
	}
	fill := func(head, piece, tail string) string {
		return head + strings.Repeat(piece, (MaxBody-len(head)-len(tail)-1)/len(piece)) + tail
	}
	return map[string]string{
		"JSON, empty lines":     fill(`{"lines":[{}`, `,{}`, `]}`),
		"JSON, many lines":      fill(`{"lines":[{}`, `,{"description":"a","quantity":"1"}`, `]}`),
		"JSON, array as text":   fill(`{"notes":[[]`, `,[]`, `]}`),
		"JSON, object as text":  `{"notes":{` + names.String() + `"x":1}}`,
		"JSON, deep":            fill(`{"notes":`, `[`, ``),
		"JSON, deep in unknown": fill(`{"x":`, `{"a":`, ``),
		"JSON, long name":       fill(`{"`, `x`, `":1}`),
		"JSON, escapes":         fill(`{"notes":"`, `\u0022`, `"}`),
		"JSON, blanks":          fill(`{"notes":""}`, ` `, ``),
		"form, many fields":     fill("a=", "&a=", ""),
		"form, many names":      strings.NewReplacer(`"`, "", ":1,", "=&").Replace(names.String()),
		"form, ampersands":      fill("a=", "&", ""),
		"form, quotes":          fill("notes=", `"`, ""),
		"form, escapes":         fill("notes=", "%22", ""),
		"form, long name":       fill("", "x", "="),
		"form, lines of blanks": fill("notes=", "&line_description=+++", ""),
	}
}

// Posted is a request with a body.
func Posted(contentType, body string) *http.Request {
	r := httptest.NewRequestWithContext(context.Background(), http.MethodPost, "/", strings.NewReader(body))
	r.Header.Set("Content-Type", contentType)
	return r
}

// AllocatedBy counts the bytes that were allocated on the way, garbage included.
func AllocatedBy(do func() error) (uint64, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, err
}
