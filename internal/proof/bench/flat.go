package bench

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// flatness compares a tenant with many rows in every table with one that has few.
func (b *bench) flatness(ctx context.Context) error {
	small, err := b.populate(ctx, "small", few)
	if err != nil {
		return err
	}
	defer small.stop()
	large, err := b.populate(ctx, "large", b.Rows)
	if err != nil {
		return err
	}
	defer large.stop()
	p := pace{warm: 5, counted: 50}
	many, err := visitSite(ctx, large.origin, large.database, p.warm+p.counted)
	if err != nil {
		return err
	}
	less, err := visitSite(ctx, small.origin, small.database, p.warm+p.counted)
	if err != nil {
		return err
	}
	for _, k := range kinds() {
		here, there, err := compare(ctx, k, many, less, b.Rounds, p)
		if err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
		b.add(against(fmt.Sprintf("%s, %d rows", k.name, b.Rows), millis, here, "1000 rows", there).atMost(2))
	}
	rounds, err := b.inTurns(ctx, b.load.over(typed, large.origin+invoicesPath, 16), b.load.over(typed, small.origin+invoicesPath, 16))
	if err == nil {
		b.add(against(fmt.Sprintf("create, 16 connections, %d rows", b.Rows), perSecond, rounds[0], "1000 rows", rounds[1]).atLeast(0.7))
	}
	return err
}

// kind is a kind of request that a client sends again and again.
type kind struct {
	name string
	want int // status
	// make returns the n-th request of a round. The requests that it sends before, as preparation, aren't measured.
	make func(ctx context.Context, s *site, n int) (*http.Request, error)
}

// kinds returns the reads first: while PostgreSQL analyses a large table, the dead rows of the writes stay, and reads of sums skip them.
func kinds() []kind { return slices.Concat(reads(), writes()) }

// onInvoice returns a function that makes requests for an invoice that was just created.
func onInvoice(prepare func(context.Context, *site) (id string, err error), method, verb, body string) func(
	context.Context, *site, int) (*http.Request, error) {
	return func(ctx context.Context, s *site, _ int) (*http.Request, error) {
		id, err := prepare(ctx, s)
		if err != nil {
			return nil, err
		}
		request, err := s.api(ctx, method, invoicesPath+"/"+id+verb, newKey(), body)
		if err == nil && method == http.MethodPut {
			request.Header.Set("If-Match", `"v1"`)
		}
		return request, err
	}
}

func draft(ctx context.Context, s *site) (string, error) { return s.create(ctx, newKey()) }

func writes() []kind {
	post := func(path string, body func(*site) string) func(context.Context, *site, int) (*http.Request, error) {
		return func(ctx context.Context, s *site, _ int) (*http.Request, error) {
			return s.api(ctx, http.MethodPost, path, newKey(), body(s))
		}
	}
	return []kind{
		{"API: create with a typed number", http.StatusCreated,
			post(invoicesPath, func(*site) string { return apiInvoice("N-"+newKey(), regularEmail, newKey()) })},
		{"API: create with an allocated number", http.StatusCreated,
			post(invoicesPath, func(*site) string { return apiInvoice("", regularEmail, newKey()) })},
		{"API: create with a new customer", http.StatusCreated,
			post(invoicesPath, func(*site) string { return apiInvoice("N-"+newKey(), newKey()+"@new.example", newKey()) })},
		{"API: replay", http.StatusCreated, func(ctx context.Context, s *site, n int) (*http.Request, error) {
			return s.again(ctx, s.keys[n%len(s.keys)])
		}},
		{"API: upsert of a known customer", http.StatusOK, post(customersPath, func(s *site) string {
			n := strings.TrimSuffix(strings.TrimPrefix(s.middleEmail, "customer"), "@past.example")
			return fmt.Sprintf(`{"email":%q,"name":"CUSTOMER %s"}`, strings.ToUpper(s.middleEmail), n)
		})},
		{"API: edit a draft", http.StatusOK, onInvoice(draft, http.MethodPut, "", apiInvoice("", regularEmail, "Edited"))},
		{"API: issue an invoice", http.StatusOK, onInvoice(draft, http.MethodPost, "/issue", "")},
		{"API: pay", http.StatusCreated, onInvoice(issued, http.MethodPost, "/payments",
			`{"amount":"12.50","date":"`+time.Now().UTC().Format(time.DateOnly)+`","method":"bank_transfer"}`)},
		{"form: create", http.StatusSeeOther, func(ctx context.Context, s *site, _ int) (*http.Request, error) {
			return s.page(ctx, "/invoices", formInvoice())
		}},
	}
}

func reads() []kind {
	archived := url.Values{"archived": {"1"}}
	var all []kind
	for _, r := range []struct {
		name string
		path func(*site) string
	}{
		{"API: one invoice", func(s *site) string { return invoicesPath + "/" + s.invoice }},
		{"API: invoices from the middle", func(s *site) string { return from(invoicesPath, nil, s.middleDay, s.middleInvoice) }},
		{"API: customers from the middle", func(s *site) string { return from(customersPath, nil, "", s.middleCustomer) }},
		{"home page", func(*site) string { return "/home" }},
		{"invoice form", func(*site) string { return "/invoices/new?key=" + newKey() }},
		{"invoice page", func(s *site) string { return "/invoices/" + s.invoice }},
		{"page of an invoice with many payments", func(s *site) string { return "/invoices/" + s.large }},
		{"invoice list", func(*site) string { return "/invoices" }},
		{"invoice list from the middle", func(s *site) string { return from("/invoices", nil, s.middleDay, s.middleInvoice) }},
		{"invoice list: overdue, due first", func(*site) string { return "/invoices?status=overdue&sort=due" }},
		{"invoice list: a word of all", func(*site) string { return "/invoices?q=design" }},
		{"invoice list: the beginning of many words", func(*site) string { return "/invoices?q=1" }},
		{"customer page", func(s *site) string { return "/customers/" + s.customer }},
		{"customer list from the middle", func(s *site) string { return from("/customers", nil, "", s.middleCustomer) }},
		{"archived customers from the middle", func(s *site) string { return from("/customers", archived, "", s.middleArchived) }},
		{"payments", func(*site) string { return "/payments" }},
	} {
		all = append(all, kind{r.name, http.StatusOK, func(ctx context.Context, s *site, _ int) (*http.Request, error) {
			if strings.HasPrefix(r.name, "API") {
				return s.api(ctx, http.MethodGet, r.path(s), newKey(), "")
			}
			return s.page(ctx, r.path(s), nil)
		}})
	}
	return all
}

// pace is the number of requests of a kind for each site in a round: warm ones that do not count, and counted ones.
type pace struct{ warm, counted int }

// compare returns the median milliseconds of a kind of request in each round, at two sites.
func compare(ctx context.Context, k kind, large, small *site, rounds int, p pace) (here, there []float64, err error) {
	for range rounds {
		var many, less []float64
		for n := range p.warm + p.counted {
			for i := range 2 {
				at, times := large, &many
				if i == n%2 { // neither is always the first
					at, times = small, &less
				}
				took, err := k.once(ctx, at, n)
				if err != nil {
					return nil, nil, err
				}
				if n >= p.warm {
					*times = append(*times, took)
				}
			}
		}
		here, there = append(here, spreadOf(many).Median), append(there, spreadOf(less).Median)
	}
	return here, there, nil
}

// once returns the milliseconds from the request to the end of the answer.
func (k kind) once(ctx context.Context, s *site, n int) (float64, error) {
	request, err := k.make(ctx, s, n)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	_, err = s.ask(request, k.want)
	return since(began), err
}
