package importviews_test

import (
	"net/url"
	"testing"

	"github.com/a-h/templ"

	"onlyonce/templates"
	"onlyonce/templates/importviews"
	"onlyonce/templates/viewtest"
)

const hostile = viewtest.Hostile

func TestRulesOfPages(t *testing.T) {
	t.Parallel()
	viewtest.Check(t, states())
}

// states returns each page in its relevant states.
func states() map[string]templ.Component {
	page := viewtest.Page()
	words := importviews.Words{One: "customer", Many: "customers", Heading: "Customer"}
	upload := templates.Form{Title: "Import customers", Key: "k", HasFiles: true}
	preview := importviews.ImportPreview{
		Href: "/customer-imports/1", Source: hostile, Days: hostile, DateOrder: "dmy", Numbers: hostile,
		Fields:  []templates.Option{{Value: "", Text: "Leave out"}, {Value: "name", Text: "Name"}},
		Columns: []importviews.ImportColumn{{ID: "column-1", Heading: hostile, Sample: hostile, Field: "name"}},
		Filters: []templates.NavItem{{Text: "All (2)", Href: "/customer-imports/1", Current: true}},
		Rows: []importviews.ImportRow{
			{Line: "2", Name: hostile, Detail: hostile, Verdict: "Differs", Problem: hostile, Href: "/customers/1"},
			{Line: "3", Name: hostile, Verdict: "New"},
		},
		Pager:   templates.Pager{NextHref: "/customer-imports/1?page=2"},
		Confirm: templates.Action{Text: "Import…", Href: "/customer-imports/1/confirm", Asks: true, Primary: true},
	}
	noRows, badColumns := preview, preview
	noRows.Rows, badColumns.Problems = nil, []string{hostile}
	imported := templates.RecordView{Name: hostile, Facts: []templates.Fact{{Label: "Progress", Value: "1 of 2"}}}
	left := []importviews.ImportLeft{{Line: "2", Problem: hostile}}
	confirm := importviews.ConfirmImport{
		Words: words,
		Form:  templates.Form{Title: "Confirm import", Key: "k", Typed: url.Values{"columns": {hostile}, "source": {hostile}}},
		File:  hostile, Href: "/customer-imports/1", New: "1 customer", Known: "1 customer", Alike: "2 customers",
		LeftOut: "1 customer", HasAlike: true,
		Caution: hostile,
	}
	begun := importviews.ConfirmImport{Words: words, Form: confirm.Form, File: hostile, Begun: true}
	confirmRefused := confirm
	confirmRefused.Errors = templates.FieldErrors{{Control: "columns", Message: hostile}, {Control: "source", Message: hostile}}
	return map[string]templ.Component{
		"upload form": importviews.UploadForm(page, upload, ".csv", "At most 10 MiB."),
		"upload form refused": importviews.UploadForm(page, templates.Form{
			Title: "Import customers", Key: "k", HasFiles: true, Typed: url.Values{"file": {hostile}},
			Errors: templates.FieldErrors{{Control: "file", Message: hostile}, {Control: "encoding", Message: hostile}},
		}, ".csv", "At most 10 MiB."),
		"import":                   importviews.ImportPage(page, importviews.Import{Words: words, RecordView: imported, Preview: &preview}),
		"import without such rows": importviews.ImportPage(page, importviews.Import{Words: words, RecordView: imported, Preview: &noRows}),
		"import of bad columns": importviews.ImportPage(page, importviews.Import{
			Words: words, RecordView: imported, Preview: &badColumns,
		}),
		"import in progress": importviews.ImportPage(page, importviews.Import{
			Words: words, RecordView: imported, Reloads: true, ListHref: "/customers", Left: left, More: true,
			DownloadHref: "/customer-imports/1/problems",
		}),
		"import of a deleted file": importviews.ImportPage(page, importviews.Import{Words: words, RecordView: imported, Gone: true}),
		"import taken back":        importviews.ImportPage(page, importviews.Import{Words: words, RecordView: imported, TakenBack: true}),
		"take back import": importviews.TakeBackPage(page, importviews.TakeBack{
			Form: templates.Form{Title: "Take back import", Key: "k"}, Words: words, File: hostile, Href: "/customer-imports/1",
			Created: "2",
		}),
		"take back import, again": importviews.TakeBackPage(page, importviews.TakeBack{
			Form: templates.Form{Title: "Take back import", Key: "k"}, Words: words, File: hostile, Done: true,
		}),
		"import question":         importviews.ConfirmImportPage(page, confirm),
		"import question refused": importviews.ConfirmImportPage(page, confirmRefused),
		"import question, again":  importviews.ConfirmImportPage(page, begun),
	}
}
