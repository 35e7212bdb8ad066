package bench

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"onlyonce/internal/record"
)

// known is what a site has that requests name.
type known struct {
	keys              []string // of invoices that were created through the program
	invoice, customer string   // ids
	middleEmail       string   // of a customer in the middle of those that are not archived, by email
	// Ids in the middle of their lists.
	middleInvoice, middleCustomer, middleArchived string
	middleDay                                     string // on which the middle invoice was issued
	// The invoice with most of the payments, which is the largest, one in the middle of them, and of all refunds, credit
	// notes and mails.
	largeInvoice, middlePayment, middleRefund, middleNote, middleMail string
	largeSchedule                                                     string            // with all periods
	middles                                                           map[string]string // of other tables, by their names
}

// newSite logs in.
func newSite(ctx context.Context, origin string, db database) (*site, error) {
	cookie, err := logIn(ctx, origin)
	return &site{origin: origin, db: db, cookie: cookie, client: &http.Client{
		Timeout:       time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, err
}

// learn creates so many invoices through the program, and finds out what else there is to ask for.
func (s *site) learn(ctx context.Context, invoices int) error {
	for range invoices {
		key := "known-" + newKey()
		if err := createKnown(ctx, s, key, key); err != nil {
			return err
		}
		s.known.keys = append(s.known.keys, key)
	}
	for id, sql := range map[*string]string{
		&s.known.invoice:        `SELECT id::text FROM invoices WHERE tenant_id = $1 ORDER BY id DESC LIMIT 1`,
		&s.known.customer:       `SELECT id::text FROM customers WHERE tenant_id = $1 AND email = '` + regularEmail + `'`,
		&s.known.largeInvoice:   `SELECT id::text FROM invoices WHERE tenant_id = $1 ORDER BY open_amount DESC LIMIT 1`,
		&s.known.largeSchedule:  `SELECT schedule_id::text FROM schedule_periods WHERE tenant_id = $1 ORDER BY id LIMIT 1`,
		&s.known.middlePayment:  middleOf("payments", "provider = 'Bank'", "id", "id"),
		&s.known.middleRefund:   middleOf("refunds", "true", "id", "id"),
		&s.known.middleMail:     middleOf("mails", "recipient = 'accounts@northwind.example'", "id", "id"),
		&s.known.middleNote:     middleOf("credit_notes", "number LIKE 'CN-R-%'", "id", "id"),
		&s.known.middleInvoice:  middleOf("invoices", "true", "id", "issue_date, id"),
		&s.known.middleDay:      middleOf("invoices", "true", "issue_date", "issue_date, id"),
		&s.known.middleCustomer: middleOf("customers", unarchived, "id", "id"),
		&s.known.middleArchived: middleOf("customers", "archived_at IS NOT NULL", "id", "id"),
		&s.known.middleEmail:    middleOf("customers", unarchived, "email", "email_folded"),
	} {
		found, err := value[string](ctx, s.db.admin(), sql, acme)
		if err != nil {
			return err
		}
		*id = found
	}
	return nil
}

// createKnown creates the invoice of a key through the API.
func createKnown(ctx context.Context, s *site, key, text string) error {
	request, err := apiPost(ctx, s.origin+invoicesPath, key, apiInvoice(numberOf(key), regularEmail, text))
	if err != nil {
		return err
	}
	if _, err := ask(s.client, request); err != nil {
		return fmt.Errorf("create an invoice: %w", err)
	}
	return nil
}

// middleOf asks for a column of the row in the middle of those for which a condition holds.
func middleOf(table, where, column, order string) string {
	of := ` FROM ` + table + ` WHERE tenant_id = $1 AND ` + where
	return `SELECT ` + column + `::text` + of + ` ORDER BY ` + order + ` OFFSET (SELECT count(*) / 2` + of + `) LIMIT 1`
}

// unarchived is the condition of what is not archived.
const unarchived = "archived_at IS NULL"

// middleIn is the id in the middle of those rows of a table for which a condition holds.
func (s *site) middleIn(table, where string) (string, error) {
	if s.known.middles == nil {
		s.known.middles = map[string]string{}
	}
	if s.known.middles[table] == "" {
		id, err := value[string](context.Background(), s.db.admin(), middleOf(table, where, "id", "id"), acme)
		if err != nil {
			return "", err
		}
		s.known.middles[table] = id
	}
	return s.known.middles[table], nil
}

// from is the address of a list from a key on.
func from(path string, parameters url.Values, first, second string) string {
	c := record.Cursor{Of: record.ListName(strings.TrimPrefix(path, "/api/v1"), parameters), From: record.Key{first, second}}
	query := url.Values{"cursor": {c.String()}}
	maps.Copy(query, parameters)
	return path + "?" + query.Encode()
}
