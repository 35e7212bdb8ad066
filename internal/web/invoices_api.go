package web

import (
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice"
	"onlyonce/internal/money"
)

// invoiceJSON is an invoice as the API shows it: amounts, quantities and rates are decimal strings.
type invoiceJSON struct {
	ID        uuid.UUID        `json:"id"`
	Number    string           `json:"number"`
	Status    string           `json:"status"`
	Customer  invoice.Customer `json:"customer"`
	Currency  money.Currency   `json:"currency"`
	IssueDate invoice.Date     `json:"issue_date"`
	DueDate   invoice.Date     `json:"due_date"`
	Lines     []lineJSON       `json:"lines"`
	Subtotal  string           `json:"subtotal"`
	TaxTotal  string           `json:"tax_total"`
	Total     string           `json:"total"`
	Notes     string           `json:"notes"`
	Version   int              `json:"version"`
	CreatedAt time.Time        `json:"created_at"`

	PossibleDuplicateOf uuid.UUID `json:"possible_duplicate_of,omitzero"`
}

type lineJSON struct {
	Description string `json:"description"`
	Quantity    string `json:"quantity"`
	UnitPrice   string `json:"unit_price"`
	TaxRate     string `json:"tax_rate"`
	Net         string `json:"net"`
}

func showInvoice(inv invoice.Invoice) invoiceJSON {
	c := inv.Currency
	shown := invoiceJSON{
		ID: inv.ID, Number: inv.Number, Status: inv.Status, Customer: inv.Customer, Currency: c,
		IssueDate: inv.IssueDate, DueDate: inv.DueDate, Notes: inv.Notes,
		Subtotal: c.Format(inv.Subtotal), TaxTotal: c.Format(inv.TaxTotal), Total: c.Format(inv.Total),
		Version: inv.Version, CreatedAt: inv.CreatedAt.UTC(), PossibleDuplicateOf: inv.PossibleDuplicateOf,
		Lines: make([]lineJSON, 0, len(inv.Lines)),
	}
	for _, l := range inv.Lines {
		shown.Lines = append(shown.Lines, lineJSON{
			l.Description, l.Quantity.String(), c.Format(l.UnitPrice), l.TaxRate.String(), c.Format(l.Net),
		})
	}
	return shown
}

// invoiceAPI is the JSON face of invoice.Create.
func (s *Server) invoiceAPI() face[invoice.Draft, invoice.Invoice] {
	return face[invoice.Draft, invoice.Invoice]{
		key: headerKey,
		decode: func(r *http.Request) (invoice.Draft, error) {
			var in invoice.Input
			if err := decodeJSON(r, &in); err != nil {
				return invoice.Draft{}, err
			}
			in.AllowRepeat = true // a program has its key; it is told possible_duplicate_of
			return in.Draft()
		},
		respond: func(w http.ResponseWriter, r *http.Request, done idempotency.Done[invoice.Invoice]) error {
			replayed(w, done.Replayed)
			w.Header().Set("Location", "/api/v1/invoices/"+done.Value.ID.String())
			return s.writeInvoice(w, http.StatusCreated, done.Value)
		},
		refuse: refuseJSON,
		late: func(w http.ResponseWriter, r *http.Request, id uuid.UUID) error {
			inv, err := invoice.Find(r.Context(), s.pool, principal(r).Tenant, id)
			if err != nil {
				return err
			}
			replayed(w, true)
			w.Header().Set("Location", "/api/v1/invoices/"+id.String())
			return s.writeInvoice(w, http.StatusOK, inv)
		},
	}
}

// refuseJSON leaves an error to the router, which answers with a problem document.
func refuseJSON(_ http.ResponseWriter, _ *http.Request, err error) error { return err }

func (s *Server) writeInvoice(w http.ResponseWriter, status int, inv invoice.Invoice) error {
	w.Header().Set("ETag", etag(inv.Version))
	return writeJSON(w, status, "application/json", showInvoice(inv))
}

func (s *Server) getInvoiceJSON(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r)
	if err != nil {
		return err
	}
	inv, err := invoice.Find(r.Context(), s.pool, principal(r).Tenant, id)
	if err != nil {
		return err
	}
	return s.writeInvoice(w, http.StatusOK, inv)
}

type summaryJSON struct {
	ID        uuid.UUID        `json:"id"`
	Number    string           `json:"number"`
	Status    string           `json:"status"`
	Customer  invoice.Customer `json:"customer"`
	Currency  money.Currency   `json:"currency"`
	IssueDate invoice.Date     `json:"issue_date"`
	DueDate   invoice.Date     `json:"due_date"`
	Total     string           `json:"total"`
}

type invoicesJSON struct {
	Invoices   []summaryJSON `json:"invoices"`
	NextCursor string        `json:"next_cursor,omitempty"`
}

func (s *Server) listInvoicesJSON(w http.ResponseWriter, r *http.Request) error {
	before, limit, err := listParameters(r)
	if err != nil {
		return err
	}
	found, next, err := pageOf(limit, func(limit int) ([]invoice.Summary, error) {
		return invoice.List(r.Context(), s.pool, principal(r).Tenant, before, limit)
	})
	if err != nil {
		return err
	}
	list := invoicesJSON{Invoices: make([]summaryJSON, 0, len(found))}
	for _, i := range found {
		list.Invoices = append(list.Invoices, summaryJSON{
			i.ID, i.Number, i.Status, invoice.Customer{ID: i.CustomerID, Email: i.CustomerEmail, Name: i.CustomerName},
			i.Currency, i.IssueDate, i.DueDate, i.Currency.Format(i.Total),
		})
	}
	if next {
		list.NextCursor = found[len(found)-1].ID.String()
	}
	return writeJSON(w, http.StatusOK, "application/json", list)
}

// pageOf reads one more than asked for, to know whether there is a next page.
func pageOf[T any](limit int, list func(limit int) ([]T, error)) (found []T, next bool, err error) {
	found, err = list(limit + 1)
	if err != nil || len(found) <= limit {
		return found, false, err
	}
	return found[:limit], true, nil
}

// pathID reads the {id} of the path; what is not an id cannot be found.
func pathID(r *http.Request) (uuid.UUID, error) {
	id, err := uuid.Parse(chi.URLParam(r, "id"))
	if err != nil {
		return uuid.Nil, errNotFound
	}
	return id, nil
}
