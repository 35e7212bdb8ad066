package web

import (
	"errors"
	"net/http"
	"strings"

	"onlyonce/internal/invalid"
	"onlyonce/internal/record"
	"onlyonce/internal/record/search"
	"onlyonce/internal/web/apidoc"
)

// exported is the number of records that an export reads at once.
const exported = 200

// export registers the CSV file of all records that the filter of a list selects, in its order.
func (m *resource) export(path string, query []Parameter, l Listing[Entity]) {
	m.document(apidoc.Endpoint{
		Method: http.MethodGet, Path: path + "/csv", Name: m.many + ".csv", Repeats: "reads", Query: query, Files: []string{csvType},
		Untagged: true, Summary: "The same list as a CSV file (RFC 4180), not in pages. It is cut off if it takes too long.",
	})
	m.pages.read(path+"/csv", m.exporting(l, byteOrderMark))
	m.api.read(path+"/csv", m.exporting(l, ""))
}

// exporting returns a handler that writes the file page by page, after start. If a later page fails, the answer is cut off, so that the
// file doesn't look complete.
func (m *resource) exporting(l Listing[Entity], start string) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		page, rows := record.Page{Limit: exported}, [][]string{l.Headings}
		for first := true; first || page.From != (record.Key{}); first = false {
			list, err := l.Read(r, page)
			switch {
			case first && err != nil:
				return listError(err)
			case first && len(list.Whole) > 0:
				var problems invalid.Error
				problems.Add("/q", "Too many words begin with "+strings.Join(list.Whole, ", ")+
					". Type more letters to export all that match.")
				return problems.Err()
			case first:
				err = beginCSV(w, m.many, start)
			case err != nil:
				m.s.classify(r, err) // logs it
			}
			for _, row := range list.Rows {
				rows = append(rows, l.Cells(row))
			}
			if err = errors.Join(err, writeCSV(w, rows)); err != nil {
				panic(http.ErrAbortHandler) // or the client is gone
			}
			rows, page.From = nil, list.After
		}
		return nil
	}
}

// listError returns the problem for an error of reading a list, or the error itself.
func listError(err error) error {
	var problems invalid.Error
	switch {
	case errors.Is(err, record.ErrKey):
		problems.Add("/cursor", foreignCursor)
	case errors.Is(err, search.ErrTooMany):
		problems.Add("/sort",
			"More than 1,000 match, too many to sort in this order. Search for more words, or sort in another order.")
	default:
		return err
	}
	return problems.Err()
}
