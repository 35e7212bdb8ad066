package bench

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"onlyonce/internal/record"
)

// site is a running server and its database.
type site struct {
	origin string
	cookie string // the session of a person of acme
	client *http.Client

	keys []string // of invoices created through the server
	// Ids of the newest invoice, the invoice with most payments, the customer of the load, and the records in the middle of their lists.
	// The middle invoice was issued on middleDay.
	invoice, large, customer, middleInvoice, middleDay, middleCustomer, middleArchived, middleEmail string
}

// visitSite logs in, creates some invoices through the server, and finds ids in the database.
func visitSite(ctx context.Context, origin string, db database, invoices int) (*site, error) {
	s := &site{origin: origin, client: &http.Client{
		Timeout:       time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	request, err := s.page(ctx, "/login", url.Values{"email": {acmeEmail}, "password": {demoPassword}})
	if err != nil {
		return nil, err
	}
	header, err := s.ask(request, http.StatusSeeOther)
	if err != nil {
		return nil, err
	}
	s.cookie, _, _ = strings.Cut(header.Get("Set-Cookie"), ";")
	for range invoices {
		key := newKey()
		if _, err := s.create(ctx, key); err != nil {
			return nil, err
		}
		s.keys = append(s.keys, key)
	}
	const unarchived, archived = "archived_at IS NULL", "archived_at IS NOT NULL"
	for id, sql := range map[*string]string{
		&s.invoice:        `SELECT id::text FROM invoices WHERE tenant_id = $1 ORDER BY id DESC LIMIT 1`,
		&s.large:          `SELECT invoice_id::text FROM payments WHERE tenant_id = $1 GROUP BY invoice_id ORDER BY count(*) DESC LIMIT 1`,
		&s.customer:       `SELECT id::text FROM customers WHERE tenant_id = $1 AND email = '` + regularEmail + `'`,
		&s.middleInvoice:  middleOf("invoices", "true", "id", "issue_date, id"),
		&s.middleDay:      middleOf("invoices", "true", "issue_date", "issue_date, id"),
		&s.middleCustomer: middleOf("customers", unarchived, "id", "id"),
		&s.middleArchived: middleOf("customers", archived, "id", "id"),
		&s.middleEmail:    middleOf("customers", unarchived, "email", "email_folded"),
	} {
		if *id, err = value[string](ctx, db.admin(), sql, acme); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// middleOf selects a column of the middle row of the rows for which a condition holds.
func middleOf(table, where, column, order string) string {
	rows := ` FROM ` + table + ` WHERE tenant_id = $1 AND ` + where
	return `SELECT ` + column + `::text` + rows + ` ORDER BY ` + order + ` OFFSET (SELECT count(*) / 2` + rows + `) LIMIT 1`
}

// create creates the invoice of a key through the API, and returns its id.
func (s *site) create(ctx context.Context, key string) (id string, err error) {
	request, err := s.again(ctx, key)
	if err != nil {
		return "", err
	}
	header, err := s.ask(request, http.StatusCreated)
	return path.Base(header.Get("Location")), err
}

func (s *site) again(ctx context.Context, key string) (*http.Request, error) {
	return s.api(ctx, http.MethodPost, invoicesPath, key, apiInvoice(key, regularEmail, key))
}

func issued(ctx context.Context, s *site) (id string, err error) {
	if id, err = s.create(ctx, newKey()); err != nil {
		return "", err
	}
	request, err := s.api(ctx, http.MethodPost, invoicesPath+"/"+id+"/issue", newKey(), "")
	if err != nil {
		return "", err
	}
	if _, err = s.ask(request, http.StatusOK); err != nil {
		return "", fmt.Errorf("issue an invoice: %w", err)
	}
	return id, nil
}

// from returns the URL of a list that begins at a row.
func from(list string, parameters url.Values, first, second string) string {
	c := record.Cursor{Of: record.ListName(strings.TrimPrefix(list, apiPrefix), parameters), From: record.Key{first, second}}
	query := url.Values{"cursor": {c.String()}}
	maps.Copy(query, parameters)
	return list + "?" + query.Encode()
}
