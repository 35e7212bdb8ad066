package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// kinds lists what the program is asked for.
func kinds() []kind {
	return slices.Concat(
		creates(), repeats(), syncs(), customers(), edits(), transitions(), drafts(), lives(), payments(), refunds(), creditNotes(),
		mails(), webhooks(), schedules(), merges(), files(), apiReads(), pageReads(), finding(), seldom())
}

const (
	apiPrefix     = "/api/v1"
	customersPath = "/api/v1/customers"

	// Two kinds that the series asks for again.
	allocatedNumber = "API: create with an allocated number"
	invoiceForm     = "invoice form"

	routeCreate          = "POST /api/v1/invoices"
	routeForm            = "POST /invoices"
	routeUpsert          = "POST /api/v1/customers"
	routeInvoiceForm     = "GET /invoices/new"
	routeInvoiceList     = "GET /invoices"
	routeCustomerList    = "GET /customers"
	routeInvoiceListAPI  = "GET /api/v1/invoices"
	routeCustomerListAPI = "GET /api/v1/customers"
)

func newKey() string { return uuid.NewString() }

// newNumber is a number that nobody has.
func newNumber() string { return "N-" + newKey() }

// seriesNumber is one of the form of this year's series, far from those that are taken.
func seriesNumber() string {
	return fmt.Sprintf("%s-%d", issueDate()[:4], 1e10+rand.Int64N(1e10)) //nolint:gosec // must differ, not be secret
}

// invoices makes requests of the API for invoices, each under a new key.
func invoices(body func(s *site) string) maker {
	return func(ctx context.Context, s *site, _ int) (*http.Request, error) {
		return apiPost(ctx, s.origin+invoicesPath, newKey(), body(s))
	}
}

func createTyped() maker {
	return invoices(func(*site) string { return apiInvoice(newNumber(), regularEmail, newKey()) })
}

// forms makes posts of a form, each under a new key.
func forms(path string, fields func() url.Values) maker {
	return func(ctx context.Context, s *site, _ int) (*http.Request, error) {
		form := fields()
		form.Set("idempotency_key", newKey())
		return formPost(ctx, s.origin+path, s.cookie, form)
	}
}

func creates() []kind {
	return []kind{
		{name: "API: create with a typed number", route: routeCreate, want: http.StatusCreated,
			make: createTyped()},
		{name: "API: create with a typed number of the series", route: routeCreate, want: http.StatusCreated,
			make: invoices(func(*site) string { return apiInvoice(seriesNumber(), regularEmail, newKey()) })},
		{name: allocatedNumber, route: routeCreate, want: http.StatusCreated,
			make: invoices(func(*site) string { return apiInvoice("", regularEmail, newKey()) })},
		{name: "API: create with a new customer", route: routeCreate, want: http.StatusCreated,
			make: invoices(func(*site) string { return apiInvoice(newNumber(), newKey()+"@new.example", newKey()) })},
		{name: "API: create with a number that is taken", route: routeCreate, want: http.StatusConflict,
			make: invoices(func(s *site) string { return apiInvoice(numberOf(s.known.keys[0]), regularEmail, newKey()) })},
		{name: "form: create with a typed number", route: routeForm, want: http.StatusSeeOther,
			make: forms("/invoices", func() url.Values { return formInvoice("", newNumber(), newKey()) })},
		{name: "form: create what looks like a repeat", route: routeForm, want: http.StatusConflict,
			prepare: func(ctx context.Context, s *site) error { return createKnown(ctx, s, "alike-"+newKey(), alike) },
			make:    forms("/invoices", func() url.Values { return formInvoice("", newNumber(), alike) })},
	}
}

// alike is what the invoices that look like a repeat are for.
const alike = "Hosting"

// numberOf is the number of the invoice that was created with a key.
func numberOf(key string) string { return key[:min(len(key), 40)] }

// again repeats the request that created the n-th known invoice.
func again(ctx context.Context, s *site, n int) (*http.Request, error) {
	key := s.known.keys[n%len(s.known.keys)]
	return apiPost(ctx, s.origin+invoicesPath, key, apiInvoice(numberOf(key), regularEmail, key))
}

func repeats() []kind {
	return []kind{
		{name: "API: replay", route: routeCreate, want: http.StatusCreated, make: again},
		{name: "API: replay by a process that has not seen the key", route: routeCreate, want: http.StatusCreated,
			strange: true, make: again},
		{name: "API: known key, other command", route: routeCreate, want: http.StatusUnprocessableEntity,
			make: func(ctx context.Context, s *site, n int) (*http.Request, error) {
				return apiPost(ctx, s.origin+invoicesPath, s.known.keys[n%len(s.known.keys)], apiInvoice("", regularEmail, "another"))
			}},
		{name: "API: replay of an expired result", route: routeCreate, want: http.StatusOK,
			prepare: func(ctx context.Context, s *site) error {
				elsewhere, stop, err := s.another(ctx) // the one that is measured must not remember the result
				if err != nil {
					return err
				}
				defer stop()
				there := *s
				there.origin = elsewhere
				if err := createKnown(ctx, &there, expiredKey, expiredKey); err != nil {
					return err
				}
				return s.db.admin().exec(ctx, "UPDATE intents SET result = NULL WHERE key = '"+expiredKey+"'")
			},
			make: func(ctx context.Context, s *site, _ int) (*http.Request, error) {
				return apiPost(ctx, s.origin+invoicesPath, expiredKey, apiInvoice(numberOf(expiredKey), regularEmail, expiredKey))
			}},
		{name: "form page under a used key", route: routeInvoiceForm, want: http.StatusOK,
			make: func(ctx context.Context, s *site, n int) (*http.Request, error) {
				return pageGet(ctx, s.origin+"/invoices/new?key="+s.known.keys[n%len(s.known.keys)], s.cookie)
			}},
	}
}

const expiredKey = "expired"

func customers() []kind {
	upsert := func(emailAndName func(*site) (string, string)) maker {
		return func(ctx context.Context, s *site, _ int) (*http.Request, error) {
			email, name := emailAndName(s)
			return apiPost(ctx, s.origin+customersPath, newKey(), fmt.Sprintf(`{"email":%q,"name":%q}`, email, name))
		}
	}
	return []kind{
		{name: "API: upsert of a customer by a known email", route: routeUpsert, want: http.StatusOK,
			// In the middle of all, and written as nobody has written it before.
			make: upsert(func(s *site) (string, string) {
				n := strings.TrimSuffix(strings.TrimPrefix(s.known.middleEmail, "customer"), "@past.example")
				return strings.ToUpper(s.known.middleEmail), "CUSTOMER " + n
			})},
		{name: "API: upsert of a new customer", route: routeUpsert, want: http.StatusCreated,
			make: upsert(func(*site) (string, string) { return newKey() + "@new.example", "Northwind Traders" })},
		{name: "form: create a customer", route: "POST /customers", want: http.StatusSeeOther,
			make: forms("/customers", func() url.Values {
				return url.Values{"email": {newKey() + "@new.example"}, "name": {newKey()}}
			})},
	}
}

func apiReads() []kind {
	return []kind{
		apiAt("API: one invoice", "GET /api/v1/invoices/{id}", func(s *site) string { return "/invoices" + "/" + s.known.invoice }),
		apiAt("API: one customer", "GET /api/v1/customers/{id}", func(s *site) string { return "/customers" + "/" + s.known.customer }),
		apiAt("API: invoices", routeInvoiceListAPI, func(*site) string { return "/invoices" }),
		apiAt("API: invoices from the middle", routeInvoiceListAPI,
			func(s *site) string { return from("/invoices", nil, s.known.middleDay, s.known.middleInvoice) }),
		apiAt("API: customers", routeCustomerListAPI, func(*site) string { return "/customers" }),
		apiAt("API: customers from the middle", routeCustomerListAPI,
			func(s *site) string { return from("/customers", nil, "", s.known.middleCustomer) }),
		apiAt("API: archived customers", routeCustomerListAPI, func(*site) string { return "/customers" + "?archived=1" }),
		apiAt("API: archived customers from the middle", routeCustomerListAPI,
			func(s *site) string { return from("/customers", archivedOnes(), "", s.known.middleArchived) }),
	}
}

func pageReads() []kind {
	read := func(name, route string, path func(*site) string) kind {
		k := pageAt(name, route, path)
		// The pages that people wait for most, with the targets of their p50 in milliseconds.
		k.soon = map[string]float64{"invoice list": 2.5, "customer page": 2.5, "invoice page": 1.5}[name]
		return k
	}
	return []kind{
		read("home page", "GET /home", func(*site) string { return "/home" }),
		read(invoiceForm, routeInvoiceForm, func(*site) string { return "/invoices/new?key=" + newKey() }),
		{name: "invoice form with another line", route: "POST /invoices/form", want: http.StatusOK,
			make: forms("/invoices/form", func() url.Values {
				form := formInvoice("", "", "Design")
				form.Set("action", "add_line")
				return form
			})},
		{name: "invoice form with customers that are searched for", route: "POST /invoices/form", want: http.StatusOK,
			make: forms("/invoices/form", func() url.Values {
				form := formInvoice("", "", "Design")
				form.Set("customer_search", "customer")
				return form
			})},
		read("customers to choose from", "GET /invoices/customers", func(*site) string { return "/invoices/customers?q=customer" }),
		read("invoice page", "GET /invoices/{id}", func(s *site) string { return "/invoices/" + s.known.invoice }),
		read("invoice list", routeInvoiceList, func(*site) string { return "/invoices" }),
		read("invoice list from the middle", routeInvoiceList,
			func(s *site) string { return from("/invoices", nil, s.known.middleDay, s.known.middleInvoice) }),
		read("customer form", "GET /customers/new", func(*site) string { return "/customers/new?key=" + newKey() }),
		read("customer form to edit", routeEditForm,
			func(s *site) string { return "/customers/" + s.known.middleCustomer + "/edit?key=" + newKey() }),
		read("customer page", "GET /customers/{id}", func(s *site) string { return "/customers/" + s.known.customer }),
		read("customer page, invoices from the middle", "GET /customers/{id}",
			func(s *site) string {
				return from("/customers/"+s.known.customer, nil, s.known.middleDay, s.known.middleInvoice)
			}),
		read("customer list", routeCustomerList, func(*site) string { return "/customers" }),
		read("customer list from the middle", routeCustomerList,
			func(s *site) string { return from("/customers", nil, "", s.known.middleCustomer) }),
		read("list of archived customers", routeCustomerList, func(*site) string { return "/customers?archived=1" }),
		read("list of archived customers from the middle", routeCustomerList,
			func(s *site) string { return from("/customers", archivedOnes(), "", s.known.middleArchived) }),
	}
}

func archivedOnes() url.Values { return url.Values{"archived": {"1"}} }

// finding searches, filters and sorts. Half of all invoices belong to one customer; "rare" is in one of a thousand, "design"
// in all of them, and very many words begin like "1".
func finding() []kind {
	var all []kind
	for _, c := range []struct{ name, query string }{
		{"overdue, due first", "status=overdue&sort=due"}, {"open", "status=open"}, {"drafts, by number", "status=draft&sort=number"},
		{"by currency and total", "sort=total"}, {"of one day", "from=$DAY&to=$DAY"}, {"a rare word", "q=rare"},
		{"a word of all", "q=design"},
		{"two words", "q=rare+support"}, {"the beginning of many", "q=1"}, {"a customer by name", "q=northwind"},
		{"a rare word, oldest first", "q=rare&sort=oldest"},
	} {
		path := func(s *site) string { return "/invoices?" + strings.ReplaceAll(c.query, "$DAY", s.known.middleDay) }
		all = append(all, pageAt("invoice list: "+c.name, routeInvoiceList, path),
			apiAt("API: invoices: "+c.name, routeInvoiceListAPI, path))
	}
	for _, q := range []string{"northwind", "customer", "1", "customer+77"} {
		all = append(all, pageAt("customer list: "+q, routeCustomerList, func(*site) string { return "/customers?q=" + q }))
	}
	return all
}
