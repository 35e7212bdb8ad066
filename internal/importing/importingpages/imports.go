// Package importingpages has the pages of imports.
package importingpages

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"onlyonce/internal/file"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/importing"
	"onlyonce/internal/invalid"
	"onlyonce/internal/record"
	"onlyonce/internal/value/csvfile"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/importviews"
)

// pages has the dependencies of the pages.
type pages struct {
	site *web.Site
	kind *importing.Kind
	m    *web.Mounted[importing.Import]
}

// Mount mounts the imports of a kind in a place of the navigation, such as that of its records. Only owners import. Programs send records
// one by one.
func Mount(on *web.Site, section string, kind *importing.Kind) {
	tab := "Imports"
	if section != kind.Many {
		tab = web.Capital(kind.One) + " imports"
	}
	s := &pages{on, kind, web.Resource[importing.Import]{
		One: "import", Path: "/" + kind.One + "-imports", Tab: tab, Table: kind.Table, Name: importing.Name,
	}.Mount(on.Owners(section))}
	draft := web.NewForm(s.m, kind.Draft, web.Form[importing.Import]{
		Fields: []templates.Field{
			{Name: "separator", Value: "Separator"}, {Name: "encoding", Value: "Encoding"}, {Name: "file", Value: "CSV file"},
		},
		Files: map[string]file.Rule{"file": importing.Rule()},
		Page: func(_ *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
			const takes = "At most 10 MiB and 50,000 rows. Spreadsheets save a table as CSV."
			return importviews.UploadForm(p, f, importing.Rule().Accept(), takes), nil
		},
		Words: &web.Wording{
			Title: "Import " + kind.Many, Submit: "Upload", Did: "uploaded", Does: "uploads", Again: "Upload it again",
			Created:  "%s uploaded. Nothing was created yet.",
			Replayed: "Uploaded. We ignored the duplicate submission and kept your first request.",
		},
	})
	web.List(s.m, web.Listing[importing.Import]{
		Read: func(r *http.Request, page record.Page) (record.List[importing.Import], error) {
			return kind.List(r.Context(), s.site.Pool, web.Principal(r).Tenant, page)
		},
		Columns: []templates.Column{
			{Label: "File", Class: "name"}, {Label: "Progress", Class: "name"}, {Label: "Uploaded", Class: "date"},
		},
		Row: func(r *http.Request, i importing.Import) []string {
			return []string{i.FileName, importProgress(i), web.Day(r, i.CreatedAt)}
		},
		Empty: "Upload a CSV file from another system or a spreadsheet.",
	})
	web.Show(s.m, web.RecordPage[importing.Import]{
		Facts: importFacts, Page: s.page,
		Actions: func(i importing.Import) (verbs []string) {
			switch {
			case i.Unfinished() && i.State == importing.Running:
				return []string{"stop"}
			case i.Unfinished():
				verbs = []string{"continue"}
			}
			if kind.TakesBack() && i.MayBeTakenBack() {
				verbs = append(verbs, "reverse")
			}
			return verbs
		},
	})
	web.Create(s.m, "", kind.Upload, draft, nil)
	web.Transition(s.m, "confirm", "confirmed", "", kind.Confirm, web.NewCommand(s.settingsOfForm, kind.Check))
	web.Ask(s.m, "confirm", kind.Confirm, web.Question[importing.Import]{
		Submit: "Import " + kind.Many, Page: s.confirm,
		Fields: []templates.Field{
			{Name: importviews.ColumnsField, Value: "Columns"}, {Name: importviews.SourceField, Value: "The file comes from"},
			{Name: importviews.DateOrderField, Value: "Order of days"}, {Name: importviews.DecimalSignField, Value: "Decimal sign"},
			{Name: importviews.TakesAlikeField, Value: "Import rows that look like other " + kind.Many},
		},
		Fresh: func(r *http.Request, i importing.Import) (url.Values, error) {
			return formOfSettings(chosen(r.URL.Query(), i)), nil
		},
	})
	web.Transition(s.m, "stop", "stopped", "", kind.Stop, web.Nothing(), &importing.NotConfirmed, &importing.Over)
	web.Transition(s.m, "continue", "continued", "", kind.Continue, web.Nothing(), &importing.NotConfirmed, &importing.Over)
	if kind.TakesBack() {
		web.Transition(s.m, "reverse", "taken back", "", kind.TakeBack, web.Nothing(),
			&importing.NotConfirmed, &importing.InProgress, &importing.TooLate, &importing.InUse)
		web.Ask(s.m, "reverse", kind.TakeBack, web.Question[importing.Import]{
			Submit: "Take back", Page: s.takeBack, Fresh: func(r *http.Request, i importing.Import) (url.Values, error) {
				return nil, kind.Possible(r.Context(), on.Pool, web.Principal(r).Tenant, i)
			},
		})
	}
	web.Download(s.m, "problems", "text/csv", "", s.problems)
}

// settingsOfForm returns the settings in the question.
func (s *pages) settingsOfForm(r *http.Request) (importing.Settings, error) {
	of := importing.Settings{
		Source: r.PostForm.Get(importviews.SourceField), TakesAlike: r.PostForm.Get(importviews.TakesAlikeField) == "true",
		DateOrder:   importing.DateOrder(r.PostForm.Get(importviews.DateOrderField)),
		DecimalSign: importing.DecimalSign(r.PostForm.Get(importviews.DecimalSignField)),
	}
	if r.PostForm.Has(importviews.ColumnsField) {
		of.Columns = strings.Split(r.PostForm.Get(importviews.ColumnsField), ",")
	}
	return s.kind.Check(of)
}

func formOfSettings(s importing.Settings) url.Values {
	form := url.Values{importviews.ColumnsField: {strings.Join(s.Columns, ",")}, importviews.SourceField: {s.Source}}
	if s.TakesAlike {
		form.Set(importviews.TakesAlikeField, "true")
	}
	if s.DateOrder != "" {
		form.Set(importviews.DateOrderField, string(s.DateOrder))
	}
	if s.DecimalSign != "" {
		form.Set(importviews.DecimalSignField, string(s.DecimalSign))
	}
	return form
}

// chosen returns the settings in an address or a form, or else of the import.
func chosen(values url.Values, i importing.Import) importing.Settings {
	s := i.Settings
	columns := values[importviews.ColumnField]
	if values.Has(importviews.ColumnsField) {
		columns = strings.Split(values.Get(importviews.ColumnsField), ",")
	}
	if len(columns) == len(i.Headings) {
		s.Columns = columns
	}
	if values.Has(importviews.SourceField) {
		s.Source = values.Get(importviews.SourceField)
	}
	if values.Has(importviews.DateOrderField) {
		s.DateOrder = importing.DateOrder(values.Get(importviews.DateOrderField))
	}
	if values.Has(importviews.DecimalSignField) {
		s.DecimalSign = importing.DecimalSign(values.Get(importviews.DecimalSignField))
	}
	return s
}

// importProgress returns how far an import is: "12 of 40".
func importProgress(i importing.Import) string {
	switch {
	case i.State == importing.Uploaded:
		return "Not confirmed"
	case i.State == importing.TakenBack:
		return "Taken back"
	case i.Done == i.Rows:
		return "Finished"
	case i.State == importing.Stopped:
		return fmt.Sprintf("Stopped at %d of %d", i.Done, i.Rows)
	default:
		return fmt.Sprintf("%d of %d", i.Done, i.Rows)
	}
}

func importFacts(r *http.Request, i importing.Import) []templates.Fact {
	encoding := map[csvfile.Encoding]string{
		csvfile.UTF8: "UTF-8", csvfile.UTF8Marked: "UTF-8 with a byte order mark", csvfile.Windows1252: "Windows-1252 (Latin-1)",
	}
	separator := map[csvfile.Separator]string{csvfile.Comma: "commas", csvfile.Semicolon: "semicolons", csvfile.Tab: "tabs"}
	all := []templates.Fact{{Label: "Progress", Value: importProgress(i)}}
	if i.State == importing.Uploaded {
		all[0] = templates.Fact{Label: "Rows", Value: strconv.Itoa(i.Rows)}
	} else {
		all = append(all, templates.Fact{Label: "Created", Value: strconv.Itoa(i.Created)},
			templates.Fact{Label: "Already there", Value: strconv.Itoa(i.Known)},
			templates.Fact{Label: "Left out", Value: strconv.Itoa(i.LeftOut)}, templates.Fact{Label: "From", Value: i.Source},
			templates.Fact{Label: "Started", Value: web.Moment(r, i.ConfirmedAt) + " by " + i.AskedBy})
	}
	if i.State == importing.TakenBack {
		all = append(all, templates.Fact{Label: "Taken back", Value: web.Moment(r, i.TakenBackAt)})
	}
	return append(all, templates.Fact{Label: "File", Value: encoding[i.Encoding] + ", with " + separator[i.Separator]},
		templates.Fact{Label: "Uploaded", Value: web.Moment(r, i.CreatedAt)})
}

func (s *pages) words() importviews.Words {
	return importviews.Words{One: s.kind.One, Many: s.kind.Many, Heading: web.Capital(s.kind.One)}
}

// stopping is the time in which a stopped import finishes the rows that it is working on.
const stopping = 30 * time.Second

// pageLength is the number of entries on a page.
const pageLength = 50

func (s *pages) page(r *http.Request, p templates.Page, i importing.Import) (templ.Component, error) {
	view := importviews.Import{
		Words: s.words(), RecordView: web.RecordView(s.m, r, i), Gone: !i.Kept && i.State != importing.TakenBack,
		TakenBack: i.State == importing.TakenBack, Reloads: i.Unfinished() && i.State == importing.Running,
	}
	if i.Created > 0 && !view.TakenBack {
		view.ListHref = "/" + s.kind.Many
	}
	if i.Unfinished() && i.State == importing.Stopped {
		last, err := idempotency.History(r.Context(), s.site.Pool, web.Principal(r).Tenant, i.ID, record.Page{Limit: 1}, "")
		if err != nil {
			return nil, err
		}
		view.Reloads = len(last.Rows) > 0 && time.Since(last.Rows[0].At) < stopping
	}
	if i.Kept && i.State == importing.Uploaded {
		preview, err := s.preview(r, i)
		if err != nil {
			return nil, err
		}
		view.Preview = &preview
		return importviews.ImportPage(p, view), nil
	}
	for n := range view.Actions {
		if strings.HasSuffix(view.Actions[n].Href, "/reverse") {
			view.Actions[n].Text = "Take back"
		}
	}
	left, err := importing.Problems(r.Context(), s.site.Pool, web.Principal(r).Tenant, i.ID, pageLength+1)
	for n, problem := range left {
		if view.More = n == pageLength; !view.More {
			view.Left = append(view.Left, importviews.ImportLeft{Line: strconv.Itoa(problem.Line), Problem: problem.Problem})
		}
	}
	view.DownloadHref = s.m.URL(i.ID) + "/problems"
	return importviews.ImportPage(p, view), err
}

// verdictText returns the words for a verdict.
func verdictText(v importing.Verdict) string {
	return map[importing.Verdict]string{
		importing.New: "New", importing.Known: "Already there", importing.Differs: "Differs", importing.Alike: "Looks like another",
		importing.Wrong: "Can't be imported",
	}[v]
}

// rowsShown are the entries on a page of the preview.
type rowsShown struct {
	verdict importing.Verdict // "" for all
	page    int               // from 1
	counts  map[importing.Verdict]int
	all     int
}

// matching returns the number of entries with the verdict.
func (s rowsShown) matching() int {
	if s.verdict == "" {
		return s.all
	}
	return s.counts[s.verdict]
}

// has counts an entry, and reports whether the page shows it.
func (s *rowsShown) has(e *importing.Entry) bool {
	s.all++
	s.counts[e.Verdict]++
	n := s.matching()
	return (s.verdict == "" || s.verdict == e.Verdict) && n > (s.page-1)*pageLength && n <= s.page*pageLength
}

// preview returns the columns with their fields, and the rows of the verdict and the page in the address.
func (s *pages) preview(r *http.Request, i importing.Import) (v importviews.ImportPreview, err error) {
	query := r.URL.Query()
	i.Settings = chosen(query, i)
	var found importing.Survey
	if i.Settings, found, err = s.kind.Detect(r.Context(), s.site.Pool, web.Principal(r).Tenant, i); err != nil {
		return v, err
	}
	v.Days, v.DateOrder, v.Numbers, v.DecimalSign = found.Days, string(i.DateOrder), found.Numbers, string(i.DecimalSign)
	v.Href, v.Source, v.Columns = s.m.URL(i.ID), i.Source, columns(i)
	v.Fields = []templates.Option{{Value: "", Text: "Leave out"}}
	for _, f := range s.kind.Fields {
		v.Fields = append(v.Fields, templates.Option{Value: f.Name, Text: f.Label})
	}
	_, err = s.kind.Check(i.Settings)
	if wrong, ok := errors.AsType[*invalid.Error](err); ok {
		for _, f := range wrong.Fields {
			v.Problems = append(v.Problems, f.Message)
		}
	}
	if v.Days != "" && v.DateOrder == "" {
		v.Problems = append(v.Problems, "Choose whether the day or the month comes first in "+v.Days+".")
	}
	if v.Numbers != "" && v.DecimalSign == "" {
		v.Problems = append(v.Problems, "Choose the decimal sign of "+v.Numbers+".")
	}
	shown := rowsShown{verdict: importing.Verdict(query.Get(importviews.VerdictField)), counts: map[importing.Verdict]int{}}
	shown.page, _ = strconv.Atoi(query.Get(importviews.PageField))
	shown.page = max(shown.page, 1)
	err = s.kind.Preview(r.Context(), s.site.Pool, web.Principal(r).Tenant, i, func(e *importing.Entry) error {
		for n, text := range e.Rows[0].Cells[:min(len(v.Columns), len(e.Rows[0].Cells))] {
			v.Columns[n].Sample = cmp.Or(v.Columns[n].Sample, shortened(text))
		}
		if shown.has(e) {
			v.Rows = append(v.Rows, s.row(e))
		}
		return nil
	})
	s.lead(&v, i, shown)
	v.Confirm = web.Asked(s.m, r, i.ID, "confirm", formOfSettings(i.Settings))
	v.Confirm.Text, v.Confirm.Primary = "Import…", true
	return v, err
}

// columns returns the columns of a file with their fields.
func columns(i importing.Import) (all []importviews.ImportColumn) {
	for n, heading := range i.Headings {
		all = append(all, importviews.ImportColumn{
			ID: fmt.Sprintf("column-%d", n+1), Heading: cmp.Or(heading, fmt.Sprintf("Column %d", n+1)), Field: i.Columns[n],
		})
	}
	return all
}

// lead adds the links to the other verdicts and pages.
func (s *pages) lead(v *importviews.ImportPreview, i importing.Import, shown rowsShown) {
	address := func(verdict importing.Verdict, page int) string {
		values := formOfSettings(i.Settings)
		if verdict != "" {
			values.Set(importviews.VerdictField, string(verdict))
		}
		if page > 1 {
			values.Set(importviews.PageField, strconv.Itoa(page))
		}
		return s.m.URL(i.ID) + "?" + values.Encode() + "#rows"
	}
	v.Filters = []templates.NavItem{{
		Text: fmt.Sprintf("All (%d)", shown.all), Href: address("", 1), Current: shown.verdict == "",
	}}
	for _, verdict := range importing.Verdicts() {
		if count := shown.counts[verdict]; count > 0 || shown.verdict == verdict {
			v.Filters = append(v.Filters, templates.NavItem{
				Text: fmt.Sprintf("%s (%d)", verdictText(verdict), count), Href: address(verdict, 1), Current: shown.verdict == verdict,
			})
		}
	}
	if shown.page > 1 {
		v.Pager.FirstHref, v.Pager.PreviousHref = address(shown.verdict, 1), address(shown.verdict, shown.page-1)
	}
	if shown.matching() > shown.page*pageLength {
		v.Pager.NextHref = address(shown.verdict, shown.page+1)
	}
}

// shortened returns a text on one line, cut off if it is long.
func shortened(text string) string {
	const most = 40
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return text
}

func (s *pages) row(e *importing.Entry) importviews.ImportRow {
	shown := importviews.ImportRow{
		Line: strconv.Itoa(e.Line()), Name: e.Name, Detail: e.Detail, Verdict: verdictText(e.Verdict), Problem: e.Problem,
	}
	if e.Name == "" {
		cells := slices.DeleteFunc(slices.Clone(e.Rows[0].Cells), func(text string) bool { return text == "" })
		shown.Name = shortened(strings.Join(cells, ", "))
	}
	if e.Existing.ID != uuid.Nil {
		shown.Href = "/" + s.kind.Many + "/" + e.Existing.ID.String()
	}
	return shown
}

// confirm returns the page that asks before an import, with the number of rows for each verdict.
func (s *pages) confirm(r *http.Request, p templates.Page, f templates.Form, i importing.Import) (templ.Component, error) {
	v := importviews.ConfirmImport{
		Form: f, Words: s.words(), File: i.FileName, Href: s.m.URL(i.ID), Begun: i.State != importing.Uploaded,
	}
	if v.Begun || !i.Kept {
		return importviews.ConfirmImportPage(p, v), nil
	}
	i.Settings = chosen(f.Typed, i)
	v.Href += "?" + formOfSettings(i.Settings).Encode()
	counts, marked := map[importing.Verdict]int{}, 0
	err := s.kind.Preview(r.Context(), s.site.Pool, web.Principal(r).Tenant, i, func(e *importing.Entry) error {
		counts[e.Verdict]++
		if e.Marked && e.Verdict == importing.New {
			marked++
		}
		return nil
	})
	if err == nil {
		v.Caution, err = s.kind.Caution(r.Context(), s.site.Pool, web.Principal(r).Tenant, marked)
	}
	v.New, v.Known = s.countText(counts[importing.New]), s.countText(counts[importing.Known])
	v.Alike = s.countText(counts[importing.Alike])
	v.LeftOut, v.HasAlike = s.countText(counts[importing.Differs]+counts[importing.Wrong]), counts[importing.Alike] > 0
	return importviews.ConfirmImportPage(p, v), err
}

func (s *pages) countText(n int) string {
	if n == 1 {
		return "1 " + s.kind.One
	}
	return strconv.Itoa(n) + " " + s.kind.Many
}

// takeBack returns the page that asks before an import is taken back.
func (s *pages) takeBack(_ *http.Request, p templates.Page, f templates.Form, i importing.Import) (templ.Component, error) {
	f.Title = "Take back import"
	return importviews.TakeBackPage(p, importviews.TakeBack{
		Form: f, Words: s.words(), File: i.FileName, Href: s.m.URL(i.ID), Created: strconv.Itoa(i.Created),
		Done: i.State == importing.TakenBack,
	}), nil
}

// problems returns the file with the rows that were left out.
func (s *pages) problems(r *http.Request, i importing.Import) (web.File, error) {
	var content bytes.Buffer
	err := s.kind.WriteProblems(r.Context(), s.site.Pool, web.Principal(r).Tenant, i, &content)
	if errors.Is(err, importing.ErrDeleted) {
		err = web.ErrNotFound
	}
	extension := path.Ext(i.FileName)
	return web.File{Name: strings.TrimSuffix(i.FileName, extension) + "-problems" + extension, Content: content.Bytes()}, err
}
