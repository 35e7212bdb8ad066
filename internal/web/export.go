package web

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"onlyonce/internal/invalid"
	"onlyonce/internal/record"
	"onlyonce/internal/record/search"
	"onlyonce/internal/value/csvfile"
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
	m.pages.read(path+"/csv", func(w http.ResponseWriter, r *http.Request) error {
		err := m.exporting(l, byteOrderMark)(w, r)
		if !errors.As(err, new(*invalid.Error)) {
			return err
		}
		r = r.Clone(r.Context())
		r.URL.Path = strings.TrimSuffix(r.URL.Path, "/csv") // the page has the errors and the filter
		return m.showRead(l, w, r, record.List[Entity]{}, err)
	})
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

// csvType is the content type of CSV files.
const csvType = "text/csv; charset=utf-8"

// byteOrderMark at the start of a file lets spreadsheets read it as UTF-8. Programs would take it for a part of the first heading.
const byteOrderMark = "\uFEFF"

// beginCSV sets the headers of an answer with a CSV file, and writes the start of the file.
func beginCSV(w http.ResponseWriter, name, start string) error {
	h := w.Header()
	h.Set("Content-Type", csvType)
	h.Set("Content-Disposition", attachment(name+".csv"))
	h.Set("Cache-Control", "private, no-cache")
	if _, err := io.WriteString(w, start); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}

// writeCSV writes rows as RFC 4180 describes. A spreadsheet shows each text as it is, and computes none.
func writeCSV(w io.Writer, rows [][]string) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, text := range row {
			cells[i] = csvfile.Defused(text)
		}
		if err := out.Write(cells); err != nil {
			return fmt.Errorf("write CSV: %w", err)
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}
