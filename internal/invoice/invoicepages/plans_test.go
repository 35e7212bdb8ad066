package invoicepages_test

import (
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/site/sitecases"
	"onlyonce/internal/site/sitetest"
)

// listsOf returns the addresses of lists of invoices: each filter in each order, from its start, from the middle, and back.
func listsOf(path, customer string) (all []string) {
	for sort, middle := range map[string][2]string{
		"newest": {"2026-05-05", sitetest.RowID(sitetest.Many / 2)}, "oldest": {"2026-05-05", sitetest.RowID(sitetest.Many / 2)},
		"due":    {"2026-06-06", sitetest.RowID(sitetest.Many / 2)},
		"number": {"2026", "2026-4000"}, "total": {fmt.Sprintf("EUR%019d", math.MaxInt64-102000), sitetest.RowID(sitetest.Many / 2)},
	} {
		for _, filter := range []string{
			"", "status=draft", "status=paid", "status=open", "status=overdue", "status=void", "customer_id=" + customer,
			"from=2026-03-01&to=2026-03-05", "from=2026-02-01", "q=design", "q=rare", "q=4", "q=2026-0044", "q=rare+common",
			"q=design+customer", "q=design+1&status=draft", "q=none", "q=design&customer_id=" + customer,
			"status=paid&customer_id=" + customer + "&from=2026-02-02",
			"paid_from=2026-01-01&paid_to=2026-01-31", "paid_from=2026-02-01&status=open", "q=design&paid_to=2026-02-01",
			"q=7", "q=1@example.com", "include=lines", "q=1020.00", "q=1,020.00+design", "q=0.33&status=draft",
		} {
			list := path + "?sort=" + sort + "&" + filter
			all = append(all, list, list+"&limit=100", sitetest.At(list, middle[0], middle[1], false),
				sitetest.At(list, middle[0], middle[1], true))
		}
	}
	return all
}

func TestPlans(t *testing.T) {
	sitetest.Plans(t, sitetest.Plan{
		Room: "internal/invoice/", Requests: everyInvoice,
		Background: func(p *sitetest.Planner) { deletesBodies(p); sendsReminders(p); worksOnABatch(p) },
		Resources: slices.DeleteFunc(invoicecases.Resources(), func(of sitetest.Resource) bool {
			return of.Name == "import" // see the plans of imports
		}),
	}, sitecases.Resources(), sitecases.Grow)
}

// everyInvoice returns the requests of the routes of invoices and of their parts.
func everyInvoice(b *sitetest.Bundle, program, person *sitetest.Client) map[string][]sitetest.Request {
	post := func(path string, forms ...url.Values) (all []sitetest.Request) {
		for _, form := range forms {
			all = append(all, sitetest.Request{What: path, Want: 0, Send: func() sitetest.Answer { return person.Submit(path, form) }})
		}
		return all
	}
	late := []sitetest.Request{b.Expiry()}
	invoice, newest, customer := invoicecases.Invoices(), "/invoices/"+sitetest.RowID(1), sitetest.RowID(1)
	typed := sitetest.Change(invoice.Command, "idempotency_key", "typed", "number", "2026-7001", "customer_id", customer)
	forms := []url.Values{
		sitetest.Change(invoice.Command, "idempotency_key", "allocated"),
		sitetest.Change(invoice.Command, "idempotency_key", "allocated"), // replayed
		sitetest.Change(invoice.Other, "idempotency_key", "allocated"),   // mismatch
		sitetest.Change(invoice.Command, "idempotency_key", "likely"),    // likely repeat
		typed, sitetest.Change(typed, "idempotency_key", "other"), // number taken
		sitetest.Change(typed, "idempotency_key", "free", "number", "R-1", "notes", "x"),
		sitetest.Change(invoice.Command, "idempotency_key", "invalid", "due_date", "never"),
		sitetest.Change(invoice.Command, "idempotency_key", "nobody", "customer_id", sitetest.Nobody),
	}
	api := func(key string, command url.Values) sitetest.Request {
		return sitetest.Request{
			What: "invoice " + key,
			Want: 0,
			Send: func() sitetest.Answer { return program.Create(invoice, key, command) },
		}
	}
	elsewhere := []sitetest.Request{{What: "another process", Want: 0, Send: func() sitetest.Answer {
		other := program.Elsewhere(b.ServeOn(b.Pool).URL)
		return other.Create(invoice, "api", invoice.Command)
	}}}
	apiInvoices := []sitetest.Request{
		api("api", invoice.Command), api("api", invoice.Command), api("api", invoice.Other),
		api("taken", sitetest.Change(invoice.Command, "number", "2026-7001")),
	}
	addLine := sitetest.Change(invoice.Command, "idempotency_key", "form", "action", "add_line")
	find := sitetest.Change(invoice.Command, "idempotency_key", "form", "action", "find:customer_id", "search-customer_id", "customer 1")
	routes := map[string][]sitetest.Request{
		"GET /home":     sitetest.Gets(person, "/home"),
		"GET /invoices": sitetest.Gets(person, listsOf("/invoices", customer)...),
		"GET /invoices/new": sitetest.Gets(person, "/invoices/new?key=fresh", "/invoices/new?key=past+7",
			"/invoices/new?key=copy&copy="+sitetest.RowID(1), "/invoices/new?key=customer&customer="+customer),
		"GET /invoices/customers": sitetest.Gets(person, "/invoices/customers", "/invoices/customers?q=customer",
			"/invoices/customers?q=rare+1"),
		"POST /invoices/form": post("/invoices/form", addLine, find),
		"GET /invoices/{id}": sitetest.Gets(person, newest, "/invoices/"+sitetest.RowID(invoicecases.Drafts+1),
			"/invoices/"+sitetest.Nobody),
		"POST /invoices": slices.Concat(post("/invoices", forms...), late, post("/invoices", forms...)),
		"GET /api/v1/invoices": append(
			sitetest.Gets(program, listsOf("/api/v1/invoices", customer)...),
			sitetest.FoundExternally(program, invoice)...),
		"GET /api/v1/invoices/{id}": sitetest.Gets(program, "/api/v1"+newest),
		"POST /api/v1/invoices": slices.Concat(apiInvoices, elsewhere, late, apiInvoices,
			sitetest.CreatedExternally(program, invoice, sitetest.Change(invoice.Command, "notes", "external"))),
	}
	for _, file := range []string{"pdf", "ubl"} {
		routes["GET /invoices/{id}/"+file] = sitetest.Gets(person, newest+"/"+file)
		routes["GET /api/v1/invoices/{id}/"+file] = sitetest.Gets(program, "/api/v1"+newest+"/"+file)
	}
	csvs := []string{"/invoices/csv?status=draft&sort=due", "/invoices/csv?q=rare", "/invoices/csv?from=2026-03-01&to=2026-03-05"}
	routes["GET /invoices/csv"] = sitetest.Gets(person, csvs...)
	routes["GET /api/v1/invoices/csv"] = sitetest.Gets(program, "/api/v1"+csvs[0])
	taxes := "/tax-summary?from=2026-03-01&to=2026-03-12"
	routes["GET /tax-summary"] = sitetest.Gets(person, taxes, "/tax-summary?to=never")
	routes["GET /tax-summary/csv"] = sitetest.Gets(person, strings.Replace(taxes, "?", "/csv?", 1))
	routes["GET /api/v1/tax-summary"] = sitetest.Gets(program, "/api/v1"+taxes)
	routes["GET /api/v1/tax-summary/csv"] = sitetest.Gets(program, "/api/v1"+strings.Replace(taxes, "?", "/csv?", 1))
	statement := "/customers/{id}/statement"
	for path, client := range map[string]*sitetest.Client{"": person, "/api/v1": program} {
		at := path + strings.Replace(statement, "{id}", customer, 1)
		year, place := at+"?from=2026-02-01&to=2026-12-31", sitetest.RowID(7)+" void"
		routes["GET "+path+statement] = append(sitetest.Gets(client, at, year, at+"?currency=JPY"),
			sitetest.Looked(client, http.StatusOK, sitetest.At(year, "2026-02-15", place, false)),
			sitetest.Looked(client, http.StatusOK, sitetest.At(year, "2026-02-15", place, true)))
		for _, file := range []string{"/csv", "/pdf"} {
			routes["GET "+path+statement+file] = sitetest.Gets(client, at+file+"?from=2026-02-01&to=2026-02-15")
		}
	}
	routes["GET /credit-notes/{id}/pdf"] = sitetest.Gets(person, "/credit-notes/"+sitetest.RowID(7)+"/pdf")
	routes["GET /api/v1/credit-notes/{id}/pdf"] = sitetest.Gets(program, "/api/v1/credit-notes/"+sitetest.RowID(7)+"/pdf")
	routes["GET /credit-notes/{id}/ubl"] = sitetest.Gets(person, "/credit-notes/"+sitetest.RowID(7)+"/ubl")
	routes["GET /api/v1/credit-notes/{id}/ubl"] = sitetest.Gets(program, "/api/v1/credit-notes/"+sitetest.RowID(7)+"/ubl")
	for path, id := range map[string]int{"/invoices": invoicecases.Drafts + 1, "/credit-notes": 7, "/outbox": 7} {
		maps.Copy(routes, sitetest.EveryEvent(program, person, path+"/{id}/events", path+"/"+sitetest.RowID(id)+"/events"))
	}
	maps.Copy(routes, everyInvoiceChange(b, program, person))
	maps.Copy(routes, everyPayment(b, program, person))
	maps.Copy(routes, everyAttachment(b, program, person))
	maps.Copy(routes, everyRefund(b, program, person))
	maps.Copy(routes, everyCreditNote(b, program, person))
	maps.Copy(routes, everyReversal(b, program, person))
	maps.Copy(routes, everyWriteOff(b, program, person))
	maps.Copy(routes, everyReceipt(b, program, person))
	maps.Copy(routes, everyUseOfCredit(b, program, person))
	maps.Copy(routes, everyMail(b, program, person))
	maps.Copy(routes, b.EveryPair(program, person, invoicecases.Batches(), func(n int) url.Values {
		return sitetest.Change(invoicecases.Batches().Command, "invoices", sitetest.RowID(n)+" "+sitetest.RowID(n+2))
	}))
	const batch = "GET /invoice-batches/new"
	routes[batch] = append(routes[batch],
		sitetest.Looked(person, http.StatusOK, "/invoice-batches/new?key=fresh&action=send&invoice_id="+newest[len("/invoices/"):]))
	maps.Copy(routes, everyReminder(b, program, person))
	maps.Copy(routes, everyMailText(b, program, person))
	maps.Copy(routes, everyPeriod(b, program, person))
	maps.Copy(routes, everyWebhook(b, person))
	maps.Copy(routes, everyDuplicateInvoice(b, program, person))
	maps.Copy(routes, everyNextNumber(b, program, person))
	maps.Copy(routes, everyLogo(b, program, person))
	maps.Copy(routes, b.EveryPair(program, person, invoicecases.Closings(), func(n int) url.Values {
		return url.Values{"through": {fmt.Sprintf("2000-02-%02d", 28-n%100)}} // requests with a smaller n come later
	}))
	closing := "/closings/" + sitetest.RowID(1) + "/reopen"
	routes["GET /closings/{id}/reopen"] = []sitetest.Request{sitetest.Looked(person, http.StatusOK, closing+"?key=fresh")}
	return routes
}

// everyInvoiceChange returns the requests of the routes that change an invoice, each for another invoice.
func everyInvoiceChange(b *sitetest.Bundle, program, person *sitetest.Client) map[string][]sitetest.Request {
	i := invoicecases.Invoices()
	invoice := func(id int) sitetest.Edits {
		number := "2026-" + strconv.Itoa(10000 + 2*id)[1:]
		mine := sitetest.Change(i.Edited.Command, "number", number, "customer_id", sitetest.RowID(1))
		return sitetest.Edits{
			Resource: i, ID: sitetest.RowID(id), Mine: mine, Others: sitetest.Change(mine, "notes", "Another"),
			Taken: sitetest.Change(mine, "number", "2026-0014"), Broken: sitetest.Change(mine, "due_date", "never"),
		}
	}
	addLine := sitetest.Change(i.Command, "idempotency_key", "form", "action", "add_line", "version", "1")
	lines := func(want int, id string) sitetest.Request {
		return sitetest.Request{
			What: "another line",
			Want: want,
			Send: func() sitetest.Answer { return person.Submit("/invoices/"+id+"/form", addLine) },
		}
	}
	asked := func(verb string) []sitetest.Request {
		of := func(id string) string { return "/invoices/" + id + "/" + verb + "?key=fresh" }
		return []sitetest.Request{
			sitetest.Asking(
				person,
				of(sitetest.RowID(11)),
			), {What: "nobody's", Want: http.StatusNotFound, Send: func() sitetest.Answer { return person.Get(of(sitetest.Nobody)) }},
		}
	}
	routes := map[string][]sitetest.Request{
		"GET /invoices/{id}/issue":  asked("issue"),
		"GET /invoices/{id}/void":   asked("void"),
		"GET /invoices/{id}/edit":   sitetest.EditForms(person, "/invoices/", 11),
		"POST /invoices/{id}/edit":  b.FormEdits(person, invoice(12)),
		"PUT /api/v1/invoices/{id}": b.APIEdits(program, invoice(13), 0),
		"POST /invoices/{id}/form":  {lines(http.StatusOK, sitetest.RowID(11)), lines(http.StatusNotFound, sitetest.Nobody)},
	}
	// Paid invoices can't be voided, and void ones can't be issued.
	refused := func(verb string, id int) []sitetest.Request {
		return []sitetest.Request{
			{What: "refused form", Want: http.StatusConflict, Send: func() sitetest.Answer {
				return person.Submit("/invoices/"+sitetest.RowID(id)+"/"+verb, url.Values{"idempotency_key": {"refused"}})
			}},
			{
				What: "refused",
				Want: http.StatusConflict,
				Send: func() sitetest.Answer { return program.Post("/api/v1/invoices/"+sitetest.RowID(id)+"/"+verb, "") },
			},
		}
	}
	routes["POST /api/v1/invoices/{id}/void"] = refused("void", invoicecases.Drafts+1)
	voided := sitetest.Request{
		What: "a draft",
		Want: http.StatusOK,
		Send: func() sitetest.Answer { return program.Post("/api/v1/invoices/"+sitetest.RowID(16)+"/void", "") },
	}
	duplicate := func(what string, want int, of string) sitetest.Request {
		return sitetest.Request{What: what, Want: want, Send: func() sitetest.Answer {
			return person.Submit("/invoices/"+sitetest.RowID(17)+"/void", url.Values{"idempotency_key": {what}, "duplicate_of": {of}})
		}}
	}
	routes["POST /invoices/{id}/void"] = slices.Concat([]sitetest.Request{voided}, refused("issue", 16), []sitetest.Request{
		duplicate(
			"of another customer's",
			http.StatusConflict,
			sitetest.RowID(18),
		), duplicate("a duplicate", http.StatusSeeOther, sitetest.RowID(19)),
		sitetest.Asking(person, "/invoices/"+sitetest.RowID(19)),
	})
	return routes
}
