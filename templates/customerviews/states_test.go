package customerviews_test

import (
	"net/url"
	"testing"

	"github.com/a-h/templ"

	"onlyonce/templates"
	"onlyonce/templates/customerviews"
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
	record := templates.Record{Name: "2026-0042", Href: "/invoices/1"}
	candidate := customerviews.Candidate{
		Name: hostile, Href: "/customers/1", Email: "ada@example.com", Since: "1 Jan 2026",
		Facts: []templates.Fact{{Label: "Email", Value: hostile}},
	}
	both := []customerviews.Candidate{candidate, candidate}
	merge := templates.Form{Title: "Merge customers", Key: "k"}
	stale := []templates.VersionRow{{Label: "Name", Saved: hostile, Typed: hostile, Changed: templates.BothChanged, Keep: "name"}}
	wrong := templates.Form{Title: "Merge customers", Key: "k", Typed: url.Values{"customers": {hostile}}, Errors: templates.FieldErrors{
		{Control: "customers", Message: hostile}, {Control: "winner_id", Message: "Choose the customer that stays."},
	}}
	upload := templates.Form{Title: "Import customers", Key: "k", HasFiles: true}
	preview := customerviews.ImportPreview{
		Href: "/customer-imports/1", Source: hostile,
		Fields:  []templates.Option{{Value: "", Text: "Leave out"}, {Value: "name", Text: "Name"}},
		Columns: []customerviews.ImportColumn{{ID: "column-1", Heading: hostile, Sample: hostile, Field: "name"}},
		Filters: []templates.NavItem{{Text: "All (2)", Href: "/customer-imports/1", Current: true}},
		Rows: []customerviews.ImportRow{
			{Line: "2", Name: hostile, Email: hostile, Verdict: "Differs", Problem: hostile, Href: "/customers/1"},
			{Line: "3", Name: hostile, Verdict: "New"},
		},
		Pager:   templates.Pager{NextHref: "/customer-imports/1?page=2"},
		Confirm: templates.Action{Text: "Import…", Href: "/customer-imports/1/confirm", Asks: true, Primary: true},
	}
	noRows, badColumns := preview, preview
	noRows.Rows, badColumns.Problems = nil, []string{hostile}
	imported := templates.RecordView{Name: hostile, Facts: []templates.Fact{{Label: "Progress", Value: "1 of 2"}}}
	left := []customerviews.ImportLeft{{Line: "2", Problem: hostile}}
	confirm := customerviews.ConfirmImport{
		Form: templates.Form{Title: "Confirm import", Key: "k", Typed: url.Values{"columns": {hostile}, "source": {hostile}}},
		File: hostile, Href: "/customer-imports/1", New: "1 row", Known: "1 row", Alike: "2 rows", LeftOut: "1 row", HasAlike: true,
	}
	begun := customerviews.ConfirmImport{Form: confirm.Form, File: hostile, Begun: true}
	confirmRefused := confirm
	confirmRefused.Errors = templates.FieldErrors{{Control: "columns", Message: hostile}, {Control: "source", Message: hostile}}
	return map[string]templ.Component{
		"upload form": customerviews.UploadForm(page, upload, ".csv", "At most 10 MiB."),
		"upload form refused": customerviews.UploadForm(page, templates.Form{
			Title: "Import customers", Key: "k", HasFiles: true, Typed: url.Values{"file": {hostile}},
			Errors: templates.FieldErrors{{Control: "file", Message: hostile}, {Control: "encoding", Message: hostile}},
		}, ".csv", "At most 10 MiB."),
		"import":                   customerviews.ImportPage(page, customerviews.Import{RecordView: imported, Preview: &preview}),
		"import without such rows": customerviews.ImportPage(page, customerviews.Import{RecordView: imported, Preview: &noRows}),
		"import of bad columns":    customerviews.ImportPage(page, customerviews.Import{RecordView: imported, Preview: &badColumns}),
		"import in progress": customerviews.ImportPage(page, customerviews.Import{
			RecordView: imported, Unfinished: true, Left: left, More: true, DownloadHref: "/customer-imports/1/problems",
		}),
		"import of a deleted file": customerviews.ImportPage(page, customerviews.Import{RecordView: imported, Gone: true}),
		"import question":          customerviews.ConfirmImportPage(page, confirm),
		"import question refused":  customerviews.ConfirmImportPage(page, confirmRefused),
		"import question, again":   customerviews.ConfirmImportPage(page, begun),
		"duplicates": customerviews.DuplicatesPage(page, customerviews.Duplicates{Groups: []customerviews.Group{
			{Why: "Same name", More: "There are more.", Customers: both, MergeHref: "/merges/new", ApartHref: "/distinctions/new"},
		}}),
		"no duplicates": customerviews.DuplicatesPage(page, customerviews.Duplicates{}),
		"no duplicates, and more": customerviews.DuplicatesPage(page, customerviews.Duplicates{
			Pager: templates.Pager{NextHref: "/duplicates?cursor=1"},
		}),
		"merge form": customerviews.MergeForm(page, customerviews.ChosenView{
			Form: merge, Customers: both, Seen: "1@1 2@1", Winners: []templates.Option{{Value: "1", Text: hostile}},
		}),
		"merge form refused": customerviews.MergeForm(page, customerviews.ChosenView{Form: wrong}),
		"distinction form":   customerviews.ApartForm(page, customerviews.ChosenView{Form: merge, Customers: both}),
		"distinction form refused": customerviews.ApartForm(page, customerviews.ChosenView{Form: templates.Form{
			Title: "Not duplicates", Key: "k", Errors: wrong.Errors[:1],
		}}),
		"erase form": customerviews.EraseForm(page, templates.Form{Title: "Erase personal data", Key: "k"}, hostile, hostile),
		"erase form refused": customerviews.EraseForm(page, templates.Form{
			Title: "Erase personal data", Key: "k", Typed: url.Values{"reason": {hostile}},
			Errors: templates.FieldErrors{{Control: "reason", Message: hostile}},
		}, hostile, ""),
		"customer form": customerviews.CustomerForm(page, templates.Form{Title: "New customer", Key: "k"}, nil, "", "same_email"),
		"customer form, stale": customerviews.CustomerForm(page, templates.Form{
			Title: "Edit customer", Key: "k", Version: 2, Notice: templates.Stale(record, stale),
			Versions: stale, Saved: []templates.Field{{Name: "saved.name", Value: hostile}},
			Meanwhile: viewtest.WithHistory().History,
		}, nil, hostile, "same_email"),
		"customer form refused": customerviews.CustomerForm(page, templates.Form{
			Title: "New customer", Key: "k", Typed: url.Values{"email": {hostile}},
			Errors: templates.FieldErrors{{Control: "email", Message: hostile}, {Control: "name", Message: "Enter a name"}},
		}, nil, "", "same_email"),
	}
}
