package web

import (
	"encoding/csv"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"onlyonce/internal/invalid/text"
)

// csvType is the content type of CSV files.
const csvType = "text/csv; charset=utf-8"

// byteOrderMark at the start of a file lets spreadsheets read it as UTF-8. Programs would take it for a part of the first heading.
const byteOrderMark = "\uFEFF"

// beginCSV sets the headers of an answer with a CSV file, and writes the start of the file.
func beginCSV(w http.ResponseWriter, name, start string) error {
	h := w.Header()
	h.Set("Content-Type", csvType)
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": text.FileName(name + ".csv")}))
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
			cells[i] = defused(text)
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

// formulas begin with one of these characters, in any width.
const formulas = "=+-@\t\r\n＝＋－＠"

// defused returns a text with an apostrophe in front if a spreadsheet would compute it. It leaves negative numbers unchanged.
func defused(text string) string {
	if strings.IndexAny(text, formulas) != 0 || strings.Trim(text[1:], "0123456789.") == "" && text[0] == '-' {
		return text
	}
	return "'" + text
}
