package web

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"
)

// csvType is the content type of CSV files.
const csvType = "text/csv; charset=utf-8"

// byteOrderMark at the start of a file lets spreadsheets read it as UTF-8. Programs would take it for a part of the first heading.
const byteOrderMark = "\uFEFF"

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
