package site_test

import (
	"net/http"
	"testing"
)

// TestTwoContentTypes: which of two a body has is not for us to decide, even if they say the same. The key stays
// free.
func TestTwoContentTypes(t *testing.T) {
	b := setup(t)
	var all []resource
	for _, of := range createdResources() {
		if of.people {
			continue
		}
		all = append(all, b.placed(of, b.acme, of.name))
	}
	before := b.contents()
	for _, of := range all {
		program := b.program(b.replica, b.acme).with("Idempotency-Key", "of "+of.name)
		path, body := "/api/v1"+of.list(), of.json(of.command)
		for _, types := range [][]string{
			{"application/json", "application/json"},
			{"application/json", "text/plain"},
			{"text/plain", "application/json"},
			{"application/json, text/plain"},
			{"application/json", ""},
		} {
			a := program.with("Content-Type", types...).post(path, body)
			if p := decode[problem](b, a); a.status != http.StatusUnsupportedMediaType || p.Type != "/problems/content-type" {
				t.Errorf("%s with %q: %v", path, types, a)
			}
			wantUnchanged(b, "two content types", before, b.contents())
		}
	}
	for _, of := range all {
		program := b.program(b.replica, b.acme).with("Idempotency-Key", "of "+of.name)
		if a := program.post("/api/v1"+of.list(), of.json(of.command)); a.status != http.StatusCreated && a.status != http.StatusOK {
			t.Errorf("%s: the key was used up: %v", of.name, a)
		}
	}
}
