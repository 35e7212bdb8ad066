package site_test

import (
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"testing"
)

// drafts is the number of draft invoices. The others are issued, partly paid and credited; the first issued one has as many
// payments, credit notes and mails as all the others together, and its first payment as many refunds.
const drafts = 100

// growInvoices inserts invoices of acme and their parts, for the customers that grow makes.
func (b *bundle) growInvoices() {
	b.Helper()
	b.exec(fmt.Sprintf(`
		CREATE OR REPLACE FUNCTION pg_temp.id(n bigint) RETURNS uuid LANGUAGE sql AS
			$$ SELECT ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid $$;
		INSERT INTO invoices (tenant_id, id, number, customer_id, currency, issue_date, due_date, notes, subtotal, tax_total,
			total, source, external_id, external_digest, created_at)
		SELECT '%[1]s', pg_temp.id(n), '2026-' || lpad((n * 2)::text, 4, '0'), pg_temp.id(1 + n %% 2), 'EUR',
			'2026-01-01'::date + (n %% 300)::integer, '2026-01-31'::date + (n %% 300)::integer, '', 100000 + n, 0, 100000 + n,
			'Shop', n, sha256(''), now() - interval '1 day'
		FROM generate_series(1, %[2]d) AS n;
		SET LOCAL session_replication_role = replica; -- the triggers would refuse it, or do the same one by one
		UPDATE invoices SET status = 'issued', issued_at = now(), seller = json_build_object('name', 'Acme'),
			bill_to = json_build_object('id', customer_id, 'email', '', 'name', 'Customer')
		WHERE tenant_id = '%[1]s' AND id > pg_temp.id(%[3]d);
		INSERT INTO invoice_lines (tenant_id, invoice_id, position, description, quantity, unit_price, tax_rate, net)
		SELECT tenant_id, id, 1, 'Design', 1, 100, 0, 100 FROM invoices;
		INSERT INTO invoice_words (tenant_id, word, issue_date, invoice_id)
		SELECT tenant_id, unnest(search_words(number_text(number)) || ARRAY[
			'design', CASE WHEN number_folded < '2026-0100' THEN 'rare' ELSE 'common' END]),
			issue_date, id FROM invoices;
		INSERT INTO payments (tenant_id, id, invoice_id, amount, paid_on, method, provider, reference, source, external_id, external_digest)
		SELECT '%[1]s', pg_temp.id(n), pg_temp.id(%[3]d + greatest(1, n - %[2]d)), 1, '2026-01-02', 'cash', 'Bank', 'TX ' || n,
			'Shop', n, sha256('')
		FROM generate_series(1, 2 * %[2]d - %[3]d) AS n;
		INSERT INTO mails (tenant_id, id, invoice_id, recipient, subject, state)
		SELECT tenant_id, id, invoice_id, 'ada@example.com', 'Invoice', 'failed' FROM payments;
		INSERT INTO refunds (tenant_id, id, payment_id, invoice_id, amount, refunded_on, refunded)
		SELECT tenant_id, pg_temp.id(n), p.id, invoice_id, 1, '2026-01-03', CASE WHEN n > %[2]d THEN 1 ELSE n END
		FROM generate_series(1, 2 * %[2]d - %[3]d) AS n JOIN payments p ON p.id = pg_temp.id(CASE WHEN n > %[2]d THEN n ELSE 1 END);
		UPDATE payments p SET (amount, refunded) = (
			SELECT max(refunded) + CASE max(refunded) WHEN %[2]d THEN %[2]d ELSE 1 END, max(refunded)
			FROM refunds f WHERE f.tenant_id = p.tenant_id AND payment_id = p.id)
		WHERE id IN (SELECT payment_id FROM refunds);
		INSERT INTO credit_note_series (tenant_id, year, last) SELECT '%[1]s', 3000 + n, n FROM generate_series(1, %[2]d) AS n;
		INSERT INTO invoice_number_starts (tenant_id, year, first) SELECT '%[1]s', 3000 + n, n FROM generate_series(1, %[2]d) AS n;
		INSERT INTO next_numbers (tenant_id, id, number)
		SELECT '%[1]s', pg_temp.id(n), '2099-' || 10000 + n FROM generate_series(1, %[2]d) AS n;
		INSERT INTO credit_notes (tenant_id, id, invoice_id, issue_date, number, subtotal, tax_total, total, taxes)
		SELECT '%[1]s', pg_temp.id(n), pg_temp.id(%[3]d + greatest(1, n - %[2]d)), '2026-01-02', 'CN-1-' || n, 0, 0, 0,
			'[{"rate": "0", "net": 0, "tax": 0}]'
		FROM generate_series(1, 2 * %[2]d - %[3]d) AS n;
		INSERT INTO credit_note_lines (tenant_id, credit_note_id, invoice_id, position, quantity, credited, net)
		SELECT tenant_id, id, invoice_id, 1, 0.00001, 0.00001 * row_number() OVER (PARTITION BY invoice_id ORDER BY id), 0
		FROM credit_notes;
		INSERT INTO postings (tenant_id, invoice_id, source_id, kind, amount, position, paid, credited)
		SELECT tenant_id, invoice_id, gen_random_uuid(), kind, amount, row_number() OVER before, sum(amount) OVER before, 0
		FROM (
			SELECT tenant_id, invoice_id, id, 'payment' AS kind, amount::bigint FROM payments
			UNION ALL SELECT tenant_id, invoice_id, id, 'refund', -amount::bigint FROM refunds
			UNION ALL SELECT tenant_id, invoice_id, id, 'credit', 0 FROM credit_notes) AS posted
		WINDOW before AS (PARTITION BY invoice_id ORDER BY kind = 'refund', id);
		UPDATE invoices i SET paid = (
			SELECT COALESCE(sum(left_amount), 0) FROM payments p WHERE p.tenant_id = i.tenant_id AND p.invoice_id = i.id);
		DELETE FROM standing;
		INSERT INTO standing (tenant_id, of_id, kind, day, currency, amount, invoices)
		SELECT tenant_id, of_id, kind, day, currency, amount, invoices FROM standing_by_the_books();
		INSERT INTO standing (tenant_id, of_id, kind, day, currency, amount, invoices)
		SELECT tenant_id, id, 'due_month', '2026-01-01', 'EUR', part, part FROM customers, unnest(ARRAY[-1, 1]) AS part
		WHERE tenant_id = '%[1]s'`,
		b.acme.id, many, drafts))
	b.growPeriods()
	b.growInvoiceDistinctions()
	b.growWebhooks()
}

// listsOf returns the addresses of lists of invoices: each filter in each order, from its start, from the middle, and back.
func listsOf(path, customer string) (all []string) {
	for sort, middle := range map[string][2]string{
		"newest": {"2026-05-05", rowID(many / 2)}, "oldest": {"2026-05-05", rowID(many / 2)}, "due": {"2026-06-06", rowID(many / 2)},
		"number": {"2026", "2026-4000"}, "total": {fmt.Sprintf("EUR%019d", math.MaxInt64-102000), rowID(many / 2)},
	} {
		for _, filter := range []string{
			"", "status=draft", "status=paid", "status=open", "status=overdue", "status=void", "customer_id=" + customer,
			"from=2026-03-01&to=2026-03-05", "from=2026-02-01", "q=design", "q=rare", "q=4", "q=2026-0044", "q=rare+common",
			"q=design+customer", "q=design+1&status=draft", "q=none", "q=design&customer_id=" + customer,
			"status=paid&customer_id=" + customer + "&from=2026-02-02",
			"paid_from=2026-01-01&paid_to=2026-01-31", "paid_from=2026-02-01&status=open", "q=design&paid_to=2026-02-01",
			"q=7", "q=1@example.com",
		} {
			list := path + "?sort=" + sort + "&" + filter
			all = append(all, list, list+"&limit=100", at(list, middle[0], middle[1], false), at(list, middle[0], middle[1], true))
		}
	}
	return all
}

func TestInvoicePlans(t *testing.T) {
	plansOf(t, plan{
		room: "internal/invoice/", requests: (*bundle).everyInvoice, background: deletesBodies,
		resources: []resource{
			invoices(), payments(), refunds(), creditNotes(), mails(), schedules(), periods(), webhookSources(), webhookSecrets(),
			webhookEvents(), invoiceDistinctions(), nextNumbers(),
		},
	}, resources(), growAll)
}

// everyInvoice returns the requests of the routes of invoices and of their parts.
func (b *bundle) everyInvoice(program, person *client) map[string][]request {
	post := func(path string, forms ...url.Values) (all []request) {
		for _, form := range forms {
			all = append(all, request{path, 0, func() answer { return person.submit(path, form) }})
		}
		return all
	}
	late := []request{b.expiry()}
	invoice, newest, customer := invoices(), "/invoices/"+rowID(1), rowID(1)
	typed := change(invoice.command, "idempotency_key", "typed", "number", "2026-7001", "customer_id", customer)
	forms := []url.Values{
		change(invoice.command, "idempotency_key", "allocated"),
		change(invoice.command, "idempotency_key", "allocated"), // replayed
		change(invoice.other, "idempotency_key", "allocated"),   // mismatch
		change(invoice.command, "idempotency_key", "likely"),    // likely repeat
		typed, change(typed, "idempotency_key", "other"), // number taken
		change(typed, "idempotency_key", "free", "number", "R-1", "notes", "x"),
		change(invoice.command, "idempotency_key", "invalid", "due_date", "never"),
		change(invoice.command, "idempotency_key", "nobody", "customer_id", nobody),
	}
	api := func(key string, command url.Values) request {
		return request{"invoice " + key, 0, func() answer { return program.create(invoice, key, command) }}
	}
	elsewhere := []request{{"another process", 0, func() answer {
		other := program.elsewhere(b.serveOn(b.pool).url)
		return other.create(invoice, "api", invoice.command)
	}}}
	apiInvoices := []request{
		api("api", invoice.command), api("api", invoice.command), api("api", invoice.other),
		api("taken", change(invoice.command, "number", "2026-7001")),
	}
	addLine := change(invoice.command, "idempotency_key", "form", "action", "add_line")
	find := change(invoice.command, "idempotency_key", "form", "action", "find_customer", "customer_search", "customer 1")
	routes := map[string][]request{
		"GET /home":     gets(person, "/home"),
		"GET /invoices": gets(person, listsOf("/invoices", customer)...),
		"GET /invoices/new": gets(person, "/invoices/new?key=fresh", "/invoices/new?key=past+7",
			"/invoices/new?key=copy&copy="+rowID(1), "/invoices/new?key=customer&customer="+customer),
		"GET /invoices/customers":   gets(person, "/invoices/customers", "/invoices/customers?q=customer", "/invoices/customers?q=rare+1"),
		"POST /invoices/form":       post("/invoices/form", addLine, find),
		"GET /invoices/{id}":        gets(person, newest, "/invoices/"+rowID(drafts+1), "/invoices/"+nobody),
		"POST /invoices":            slices.Concat(post("/invoices", forms...), late, post("/invoices", forms...)),
		"GET /api/v1/invoices":      append(gets(program, listsOf("/api/v1/invoices", customer)...), foundExternally(program, invoice)...),
		"GET /api/v1/invoices/{id}": gets(program, "/api/v1"+newest),
		"POST /api/v1/invoices": slices.Concat(apiInvoices, elsewhere, late, apiInvoices,
			createdExternally(program, invoice, change(invoice.command, "notes", "external"))),
	}
	for _, file := range []string{"pdf", "ubl"} {
		routes["GET /invoices/{id}/"+file] = gets(person, newest+"/"+file)
		routes["GET /api/v1/invoices/{id}/"+file] = gets(program, "/api/v1"+newest+"/"+file)
	}
	routes["GET /credit-notes/{id}/pdf"] = gets(person, "/credit-notes/"+rowID(7)+"/pdf")
	routes["GET /api/v1/credit-notes/{id}/pdf"] = gets(program, "/api/v1/credit-notes/"+rowID(7)+"/pdf")
	for path, id := range map[string]int{"/invoices": drafts + 1, "/credit-notes": 7, "/outbox": 7} {
		maps.Copy(routes, everyEvent(program, person, path+"/{id}/events", path+"/"+rowID(id)+"/events"))
	}
	maps.Copy(routes, b.everyInvoiceChange(program, person))
	maps.Copy(routes, b.everyPayment(program, person))
	maps.Copy(routes, b.everyRefund(program, person))
	maps.Copy(routes, b.everyCreditNote(program, person))
	maps.Copy(routes, b.everyMail(program, person))
	maps.Copy(routes, b.everyPeriod(program, person))
	maps.Copy(routes, b.everyWebhook(person))
	maps.Copy(routes, b.everyDuplicateInvoice(program, person))
	maps.Copy(routes, b.everyNextNumber(program, person))
	return routes
}

// everyInvoiceChange returns the requests of the routes that change an invoice, each for another invoice.
func (b *bundle) everyInvoiceChange(program, person *client) map[string][]request {
	i := invoices()
	invoice := func(id int) edits {
		number := "2026-" + strconv.Itoa(10000 + 2*id)[1:]
		mine := change(i.edited.command, "number", number, "customer_id", rowID(1))
		return edits{
			i, rowID(id), mine, change(mine, "notes", "Another"), change(mine, "number", "2026-0014"), change(mine, "due_date", "never"),
		}
	}
	addLine := change(i.command, "idempotency_key", "form", "action", "add_line", "version", "1")
	lines := func(want int, id string) request {
		return request{"another line", want, func() answer { return person.submit("/invoices/"+id+"/form", addLine) }}
	}
	asked := func(verb string) []request {
		of := func(id string) string { return "/invoices/" + id + "/" + verb + "?key=fresh" }
		return []request{
			asking(person, of(rowID(11))), {"nobody's", http.StatusNotFound, func() answer { return person.get(of(nobody)) }},
		}
	}
	routes := map[string][]request{
		"GET /invoices/{id}/issue":  asked("issue"),
		"GET /invoices/{id}/void":   asked("void"),
		"GET /invoices/{id}/edit":   editForms(person, "/invoices/", 11),
		"POST /invoices/{id}/edit":  b.formEdits(person, invoice(12)),
		"PUT /api/v1/invoices/{id}": b.apiEdits(program, invoice(13), 0),
		"POST /invoices/{id}/form":  {lines(http.StatusOK, rowID(11)), lines(http.StatusNotFound, nobody)},
	}
	// Paid invoices can't be voided, and void ones can't be issued.
	refused := func(verb string, id int) []request {
		return []request{
			{"refused form", http.StatusConflict, func() answer {
				return person.submit("/invoices/"+rowID(id)+"/"+verb, url.Values{"idempotency_key": {"refused"}})
			}},
			{"refused", http.StatusConflict, func() answer { return program.post("/api/v1/invoices/"+rowID(id)+"/"+verb, "") }},
		}
	}
	routes["POST /api/v1/invoices/{id}/void"] = refused("void", drafts+1)
	voided := request{"a draft", http.StatusOK, func() answer { return program.post("/api/v1/invoices/"+rowID(16)+"/void", "") }}
	duplicate := func(what string, want int, of string) request {
		return request{what, want, func() answer {
			return person.submit("/invoices/"+rowID(17)+"/void", url.Values{"idempotency_key": {what}, "duplicate_of": {of}})
		}}
	}
	routes["POST /invoices/{id}/void"] = slices.Concat([]request{voided}, refused("issue", 16), []request{
		duplicate("of another customer's", http.StatusConflict, rowID(18)), duplicate("a duplicate", http.StatusSeeOther, rowID(19)),
		asking(person, "/invoices/"+rowID(19)),
	})
	return routes
}
