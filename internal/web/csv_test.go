package web

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"onlyonce/internal/record"
)

// TestExportThatFailsLater checks that a file isn't ended if a later page can't be read, and that a first page that fails is no file.
func TestExportThatFailsLater(t *testing.T) {
	t.Parallel()
	m := resource{s: &Server{Config: Config{Log: slog.New(slog.DiscardHandler)}}, many: "things"}
	pages := 0 // that can be read
	export := m.exporting(Listing[Entity]{
		Headings: []string{"name"}, Cells: func(Entity) []string { return []string{"cell"} },
		Read: func(_ *http.Request, page record.Page) (list record.List[Entity], err error) {
			if pages == 0 {
				return list, errors.New("the database is gone")
			}
			pages--
			return record.List[Entity]{Rows: []Entity{nil}, After: record.Key{"", page.From[1] + "1"}}, nil
		},
	}, "")
	ask := func(readable int) (file string, aborted, err error) {
		pages = readable
		w := httptest.NewRecorder()
		defer func() {
			file = w.Body.String()
			aborted, _ = recover().(error)
		}()
		return "", nil, export(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/things/csv", http.NoBody))
	}
	if file, aborted, err := ask(2); file != "name"+strings.Repeat("\r\ncell", 2)+"\r\n" || !errors.Is(aborted, http.ErrAbortHandler) {
		t.Errorf("%q, %v, %v", file, err, aborted)
	}
	if file, aborted, err := ask(0); file != "" || err == nil || aborted != nil {
		t.Errorf("%q, %v, %v", file, err, aborted)
	}
}

// TestCSVComputesNothing checks that a spreadsheet gets no formula, and that numbers stay numbers.
func TestCSVComputesNothing(t *testing.T) {
	t.Parallel()
	var file strings.Builder
	err := writeCSV(&file, [][]string{
		{"name", "net"}, {"=1+1", "-12.50"}, {"+353 1", "0"}, {"-1-2", "-"}, {"@x", "\ty"}, {"＝A1", "a=b"}, {"Ada, \"the\nfirst\"", ""},
	})
	const want = "name,net\r\n'=1+1,-12.50\r\n'+353 1,0\r\n'-1-2,-\r\n'@x,'\ty\r\n'＝A1,a=b\r\n\"Ada, \"\"the\r\nfirst\"\"\",\r\n"
	if err != nil || file.String() != want {
		t.Errorf("%q, want %q: %v", file.String(), want, err)
	}
}
