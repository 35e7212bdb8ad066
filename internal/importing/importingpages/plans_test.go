package importingpages_test

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/customer/customercases"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/site/sitecases"
	"onlyonce/internal/site/sitetest"
)

func TestMain(m *testing.M) { sitetest.Main(m) }

func TestPlans(t *testing.T) {
	sitetest.Plans(t, sitetest.Plan{
		Room: "internal/importing/",
		Requests: func(_ *sitetest.Bundle, program, person *sitetest.Client) map[string][]sitetest.Request {
			routes := map[string][]sitetest.Request{}
			for n, of := range []sitetest.Resource{
				customercases.Imports(),
				invoicecases.Imports(),
				invoicecases.PaymentImports(),
			} {
				maps.Copy(routes, everyImport(of, n*sitetest.Many, program, person))
			}
			return routes
		},
	}, sitecases.Resources(), sitecases.Grow)
}

// everyImport returns the requests of the routes of a kind of imports, whose ids begin behind a number. Of three, the first is running, the
// second stopped and the third uploaded.
func everyImport(of sitetest.Resource, behind int, program, person *sitetest.Client) map[string][]sitetest.Request {
	at := func(n int) string { return of.Path + "/" + sitetest.RowID(behind+n) }
	send := func(key, path string, command url.Values) sitetest.Request {
		return sitetest.Request{What: key + " " + path, Want: 0, Send: func() sitetest.Answer {
			return person.Submit(path, sitetest.Change(command, "idempotency_key", key))
		}}
	}
	routes := map[string][]sitetest.Request{
		"GET " + of.Path:          sitetest.Gets(person, sitetest.PagesOf(of.Path)...),
		"GET " + of.Path + "/new": sitetest.Gets(person, of.Path+"/new?key=fresh"),
		"POST " + of.Path: {
			send("one", of.Path, of.Command), send("one", of.Path, of.Command), send("another", of.Path, of.Other),
		},
		"GET " + of.Path + "/{id}": sitetest.Gets(person, at(1), at(2), at(3)+"?show=new",
			at(3)+"?column=name&column=&source=shop"),
		"GET " + of.Path + "/{id}/confirm": sitetest.Gets(person, at(3)+"/confirm?key=fresh"),
		"POST " + of.Path + "/{id}/confirm": {
			send("one", at(3)+"/confirm", nil), send("one", at(3)+"/confirm", nil), send("late", at(4)+"/confirm", nil),
		},
		"POST " + of.Path + "/{id}/stop": {send("one", at(4)+"/stop", nil), send("one", at(4)+"/stop", nil)},
		"POST " + of.Path + "/{id}/continue": {
			send("one", at(5)+"/continue", nil), send("one", at(5)+"/continue", nil),
		},
		"GET " + of.Path + "/{id}/problems": sitetest.Gets(person, at(1)+"/problems"),
	}
	if slices.ContainsFunc(of.Transitions, func(t sitetest.Transition) bool { return t.Verb == "reverse" }) {
		routes["GET "+of.Path+"/{id}/reverse"] = sitetest.Gets(person, at(2)+"/reverse?key=fresh")
		routes["POST "+of.Path+"/{id}/reverse"] = []sitetest.Request{
			send("one", at(8)+"/reverse", nil), send("one", at(8)+"/reverse", nil), send("running", at(10)+"/reverse", nil),
		}
	}
	maps.Copy(routes, sitetest.EveryEvent(program, person, of.Path+"/{id}/events", at(7)+"/events"))
	for route := range routes {
		if strings.Contains(route, "/api/") {
			delete(routes, route)
		}
	}
	return routes
}
