package site_test

import (
	"net/http"
	"testing"
)

// TestFormIsOneWish: the address without a key redirects to a fresh key. With a key it keeps it, and warns once the key is
// used.
func TestFormIsOneWish(t *testing.T) {
	eachForm(t, func(x *caseRun) {
		one, two := x.caller.get(x.resource.list()+"/new"), x.caller.get(x.resource.list()+"/new")
		if one.status != http.StatusSeeOther || one.location() == two.location() {
			x.Fatalf("%v\n%v", one, two)
		}
		for range 2 {
			p := x.page(x.caller.get(one.location()))
			if want := x.resource.list() + "/new?key=" + p.typed().Get("idempotency_key"); want != one.location() {
				x.Errorf("the form has another key than its address: %s, %s", one.location(), want)
			}
		}
		made := x.ask(x.command)
		p := x.page(x.caller.get(x.resource.list()+"/new?key="+key)).says("This form already "+x.resource.words.past+" "+x.label+".", "Form already used")
		p.leadsTo(made.location())
		p.leadsTo(x.resource.list() + "/new")
	})
}
