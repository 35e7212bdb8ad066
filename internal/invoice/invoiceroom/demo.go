package invoiceroom

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/webhook"
	"onlyonce/internal/room"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/secretkey"

	"github.com/google/uuid"
)

// age returns the number of days since an invoice was issued. The first one, number 0, is a year old, and the newest a day.
func (b books) age(n int) int { return 1 + 363*(b.invoices-1-n)/(b.invoices-1) }

// draft returns an invoice. Its content depends on its number only, and its dates on the day of the first start.
func (b books) draft(n int) (invoice.Draft, error) {
	issued := date.Today().AddDays(-b.age(n))
	in := invoice.Input{
		Customer: &b.Customers[(n*3+n/5)%len(b.Customers)], Currency: b.Business.Currency,
		IssueDate: issued.String(), DueDate: issued.AddDays(30 + 15*(n%2)).String(),
	}
	work, rate := b.work, b.Business.TaxRate
	if n%6 == 3 && len(b.abroad) > 0 {
		to := b.abroad[n/6%len(b.abroad)]
		in.Customer, in.Currency, work = &to.customer, to.currency, to.work
		in.DueDate = issued.AddDays(60).String()
	}
	if in.Customer.Country != b.Business.Country {
		rate = "0"
	}
	for i := range 1 + n%min(3, len(work)) {
		line := work[(n+i*2)%len(work)]
		line.TaxRate = rate
		if rate == "0" {
			line.Treatment = string(b.untaxed[in.Customer.Country])
		}
		in.Lines = append(in.Lines, line)
	}
	var notes []string
	switch n % 8 {
	case 2:
		notes = append(notes, "Your purchase order "+strconv.Itoa(4100+n*7)+". Thank you.")
	case 4:
		in.Source, in.ExternalID = "Timesheets", "sheet-"+strconv.Itoa(4100+n)
	case 5:
		notes = append(notes, "As agreed on the phone. Please mention the number of this invoice when you pay.")
	}
	in.Notes = strings.TrimSpace(strings.Join(notes, "\n"))
	return in.Draft()
}

// demo creates the missing invoices, schedules and webhook sources of a tenant, and reports whether an invoice was missing.
func demo(ctx context.Context, store *idempotency.Store, key secretkey.Key, t room.Tenant) (news bool, err error) {
	b := booksOf(t)
	if news, err = b.fill(ctx, store); err != nil {
		return news, err
	}
	repeated, err := b.repeat(ctx, store)
	if err == nil && !key.IsZero() {
		err = b.addSources(ctx, store.Pool, webhook.NewVault(key))
	}
	return news || repeated, err
}

// demoKey returns the key of a step of a demo invoice.
func demoKey(n, step int) (idempotency.Key, error) {
	return idempotency.ParseKey(fmt.Sprintf("demo-%03d-%d", n+1, step+1))
}

// fill creates the missing data, and reports whether there was any.
func (b books) fill(ctx context.Context, store *idempotency.Store) (news bool, err error) {
	missing, err := b.missing(ctx, store)
	if err != nil {
		return false, fmt.Errorf("look for invoices: %w", err)
	}
	for _, n := range missing {
		if err := b.live(ctx, store, n); err != nil {
			return true, fmt.Errorf("invoice %d: %w", n, err)
		}
	}
	return len(missing) > 0, nil
}

// content returns the place in the books of the content of invoice n: the twin has the content of the previous one.
func (b books) content(n int) int {
	if b.twin > 0 && n >= b.twin {
		return n - 1
	}
	return n
}

// missing lists the invoices with missing steps.
func (b books) missing(ctx context.Context, store *idempotency.Store) (numbers []int, err error) {
	for n := range b.invoices + min(b.twin, 1) {
		steps := b.life(b.content(n))
		last := len(steps) - 1
		key, err := demoKey(n, last)
		if err != nil {
			return nil, err
		}
		_, used, err := steps[last].used(ctx, store, b.ID, key)
		if err != nil {
			return nil, err
		}
		if !used {
			numbers = append(numbers, n)
		}
	}
	return numbers, nil
}

// live takes an invoice through the rest of its life.
func (b books) live(ctx context.Context, store *idempotency.Store, n int) error {
	var made []uuid.UUID
	for i, s := range b.life(b.content(n)) {
		key, err := demoKey(n, i)
		if err != nil {
			return err
		}
		intent := idempotency.Intent{Tenant: b.ID, Key: key, Actor: "demo"}
		if i > 0 {
			intent.Record = made[s.about]
		}
		id, err := s.do(ctx, store, intent)
		if err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
		made = append(made, id)
	}
	return nil
}
