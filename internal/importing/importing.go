// Package importing imports records from a CSV file. One intent stores the file, a second one confirms the fields of its columns, and a
// [Worker] creates the records afterwards, each by an intent, once. A domain defines a [Kind] for its records.
package importing

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"onlyonce/internal/file"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/record"
	"onlyonce/internal/value/csvfile"
)

// Import is a stored import, with the number of rows done so far.
type Import struct {
	record.Header

	Kind      string            `json:"kind"` // see [Spec.Many]
	FileName  string            `json:"file_name"`
	Encoding  csvfile.Encoding  `json:"encoding" enum:"utf-8,utf-8-bom,windows-1252"`
	Separator csvfile.Separator `json:"separator" enum:"comma,semicolon,tab"`
	Headings  []string          `json:"headings"`
	Settings
	Rows        int       `json:"rows" doc:"Below the first line, without blank ones."`
	State       string    `json:"state" enum:"uploaded,running,stopped,taken_back"`
	AskedBy     string    `json:"asked_by" doc:"The user in whose name the records are created."`
	ConfirmedAt time.Time `json:"confirmed_at,omitzero"`
	TakenBackAt time.Time `json:"taken_back_at,omitzero"`
	// Kept reports whether the file is still stored.
	Kept    bool `json:"kept"`
	Done    int  `json:"done" doc:"Rows that are done."`
	Created int  `json:"created" doc:"Records that were created."`
	Known   int  `json:"known" doc:"Records that were there before."`
	LeftOut int  `json:"left_out" doc:"Records with a problem."`
}

// Settings are chosen when an import is confirmed. A zero value keeps the settings of the upload.
type Settings struct {
	Columns    []string `json:"columns" doc:"The field of each column; empty for one that is left out."`
	Source     string   `json:"source" doc:"The system that the file comes from."`
	TakesAlike bool     `json:"takes_alike" doc:"Whether rows that look like other records are imported too."`

	DateOrder   DateOrder   `json:"date_order,omitzero" enum:"dmy,mdy" doc:"Of days such as 1/2/2026."`
	DecimalSign DecimalSign `json:"decimal_sign,omitzero" enum:"point,comma"`
}

// The states of imports. An import is finished when all rows are done.
const (
	Uploaded  = "uploaded"
	Running   = "running"
	Stopped   = "stopped"
	TakenBack = "taken_back"
)

// table is the table of imports of all kinds.
var table = record.Table[Import]{Name: "imports", Fields: `
	'kind', r.kind,
	'file_name', r.file_name, 'encoding', r.encoding, 'separator', r.separator, 'headings', r.headings, 'columns', r.columns,
	'source', r.source, 'takes_alike', r.takes_alike, 'date_order', r.date_order, 'decimal_sign', r.decimal_sign,
	'rows', r.row_count, 'state', r.state, 'asked_by', r.asked_by,
	'confirmed_at', r.confirmed_at, 'taken_back_at', r.taken_back_at, 'kept', COALESCE((
		SELECT true FROM import_files f WHERE f.tenant_id = r.tenant_id AND f.import_id = r.id), false),
	'done', ` + done("created + known + left_out + more") + `,
	'created', ` + done("created") + `, 'known', ` + done("known") + `, 'left_out', ` + done("left_out")}

func done(column string) string {
	return `COALESCE((SELECT sum(` + column + `) FROM import_chunks c WHERE c.tenant_id = r.tenant_id AND c.import_id = r.id), 0)`
}

// Name returns the display name of an import: the name of its file.
func Name(i Import) string { return i.FileName }

// Unfinished reports whether a running or stopped import has rows that aren't done, and their file.
func (i Import) Unfinished() bool {
	return (i.State == Running || i.State == Stopped) && i.Kept && i.Done < i.Rows
}

// MayBeTakenBack reports whether an import isn't running, and was confirmed within [TakeBackWithin].
func (i Import) MayBeTakenBack() bool {
	return (i.State == Stopped || i.State == Running && !i.Unfinished()) && time.Since(i.ConfirmedAt) <= TakeBackWithin
}

// Format returns the format of the file.
func (i Import) Format() csvfile.Format {
	return csvfile.Format{Encoding: i.Encoding, Separator: i.Separator}
}

// Bounds of files.
const (
	MaxRows    = 50_000
	maxBytes   = 10 << 20
	maxColumns = 200
	maxHeading = 100 // in characters
)

// Rule returns the rule for files.
func Rule() file.Rule { return file.Rule{MaxBytes: maxBytes, Types: []string{"text/plain"}} }

// Input is the unchecked input of an upload.
type Input struct {
	File      file.Input        `json:"file"`
	Encoding  csvfile.Encoding  `json:"encoding,omitzero"`  // "" to detect it
	Separator csvfile.Separator `json:"separator,omitzero"` // "" to detect it
}

// Draft is the command that uploads a file.
type Draft struct {
	File   file.File      `json:"file"`
	Format csvfile.Format `json:"format"`

	// The file decides on these, so the fingerprint leaves them out.

	Headings []string `json:"-"`
	Columns  []string `json:"-"` // as guessed
	Rows     int      `json:"-"`
}

// Draft checks the input. It returns an [*invalid.Error] with the first mistake in the file.
func (k *Kind) Draft(in Input) (d Draft, _ error) {
	var problems invalid.Error
	if !slices.Contains([]csvfile.Encoding{"", csvfile.UTF8, csvfile.UTF8Marked, csvfile.Windows1252}, in.Encoding) {
		problems.Add("/encoding", "Choose one of these encodings.")
	}
	if !slices.Contains([]csvfile.Separator{"", csvfile.Comma, csvfile.Semicolon, csvfile.Tab}, in.Separator) {
		problems.Add("/separator", "Choose one of these separators.")
	}
	if isSpreadsheet(in.File.Content) {
		problems.Add("/file", file.Name(in.File.Name)+" is a spreadsheet. Save it as CSV, and choose that file.")
	} else {
		d.File = Rule().Check(in.File, "/file", &problems)
	}
	if len(problems.Fields) > 0 {
		return d, problems.Err()
	}
	d.Format = csvfile.Detect(d.File.Content)
	if in.Encoding != "" {
		d.Format.Encoding = in.Encoding
	}
	if in.Separator != "" {
		d.Format.Separator = in.Separator
	}
	if problem := k.readHeadings(&d); problem != "" {
		problems.Add("/file", problem)
	}
	return d, problems.Err()
}

// isSpreadsheet reports whether a file begins as those of spreadsheets do: as a ZIP file, or as an older one of Excel.
func isSpreadsheet(content []byte) bool {
	return bytes.HasPrefix(content, []byte("PK\x03\x04")) || bytes.HasPrefix(content, []byte("\xd0\xcf\x11\xe0"))
}

// readHeadings reads the headings, and counts the rows. It returns a sentence about a mistake in the file, or "".
func (k *Kind) readHeadings(d *Draft) (problem string) {
	reader := csvfile.NewReader(bytes.NewReader(d.File.Content), d.Format)
	for {
		fields, _, err := reader.Next()
		wrong, isWrong := errors.AsType[*csvfile.Error](err)
		switch {
		case errors.Is(err, io.EOF) && d.Rows == 0:
			return d.File.Name + " has no rows below its first line. The first line has the names of the columns."
		case errors.Is(err, io.EOF):
			return ""
		case isWrong:
			return d.File.Name + ", " + wrong.Error()
		case err != nil: // of an encoding
			return d.File.Name + " can't be read. Save the table as CSV in UTF-8."
		case d.Headings == nil && len(fields) > maxColumns:
			return fmt.Sprintf("%s has more than %d columns. Leave some out.", d.File.Name, maxColumns)
		case d.Headings == nil:
			for _, heading := range fields {
				heading = strings.Join(strings.Fields(strings.ToValidUTF8(heading, "?")), " ")
				d.Headings = append(d.Headings, string([]rune(heading)[:min(len([]rune(heading)), maxHeading)]))
			}
			d.Columns = k.Guess(d.Headings)
			continue
		}
		if d.Rows++; d.Rows > MaxRows {
			return d.File.Name + " has more than 50,000 rows. Split it."
		}
	}
}

// headingsDigest returns the digest by which the fields of columns are remembered.
func (d *Draft) headingsDigest() []byte {
	text, err := json.Marshal(d.Headings)
	if err != nil {
		panic(err) // can't happen: these are strings
	}
	sum := sha256.Sum256(text)
	return sum[:]
}

// DefaultSource is the source of files unless a person enters another one.
const DefaultSource = "csv"

// Check returns the settings as they are stored. It returns an [*invalid.Error] with all mistakes.
func (k *Kind) Check(s Settings) (Settings, error) {
	var problems invalid.Error
	if s.Columns == nil && s.Source == "" {
		return s, nil
	}
	if s.Source = problems.Line("/source", "the source", s.Source, idempotency.MaxSource); s.Source == "" {
		problems.Add("/source", "Enter the system that the file comes from, such as "+DefaultSource+".")
	}
	found := map[string]int{}
	for _, column := range s.Columns {
		found[column]++
	}
	for _, f := range k.Fields {
		if found[f.Name] > 1 && f.Joins == "" {
			problems.Add("/columns", "Choose one column for “"+f.Label+"”.")
		}
		delete(found, f.Name)
	}
	delete(found, "")
	if len(found) > 0 {
		problems.Add("/columns", "Choose one of these fields for each column.")
	}
	if !slices.Contains([]DateOrder{"", DayFirst, MonthFirst}, s.DateOrder) {
		problems.Add("/date_order", "Choose the order of days.")
	}
	if !slices.Contains([]DecimalSign{"", Point, Comma}, s.DecimalSign) {
		problems.Add("/decimal_sign", "Choose the decimal sign.")
	}
	if problem := k.lacks(func(field string) bool { return slices.Contains(s.Columns, field) }); problem != "" {
		problems.Add("/columns", problem)
	}
	return s, problems.Err()
}
