package fork

import _ "embed"

// part is something that a fork can do without. What other files say of it stands between two lines that hold nothing but a
// comment, "begin" or "end" and its name. In Markdown a line that begins with one of the paths or with a link to one, and a row
// of a table that names one, need no such lines. Imports that are not used any more go by themselves.
type part struct {
	paths []string // files and directories, in the notation of [path.Match]
	knows []string // parts of which its own files speak: it goes with them
	// users are the only parts that need it: it goes with the last of them, and not by itself.
	users []string
	// migration takes its tables away; "" if it has none.
	migration string
}

//go:embed invoices.sql
var withoutInvoices string

// parts are all of them, by their names.
func parts() map[string]part {
	return map[string]part{
		"bench": {paths: []string{"internal/bench", "docs/performance.md", "docs/performance.json"}, knows: []string{"invoices"}},
		"lab": {
			paths: []string{
				"internal/lab", "docs/lab.*", "docs/lab-*", "docs/decisions/0015-a-lab-of-real-servers.md",
				"internal/app/lab.go", "internal/app/lab_*.go", "internal/web/lab.go", "internal/web/lab_*.go",
				"templates/lab.*", "templates/lab_*", "static/lab*", "e2e/lab_test.go", "e2e/lab_*_test.go",
			},
			knows: []string{"invoices"},
		},
		"faults":   {paths: []string{"internal/replica", "internal/layer"}, users: []string{"lab", "torture"}},
		"torture":  {paths: []string{"internal/torture", "docs/torture.md"}, knows: []string{"invoices"}},
		"invoices": {paths: invoicePaths(), migration: withoutInvoices},
	}
}

func invoicePaths() []string {
	return []string{
		"internal/invoice", "internal/payment", "internal/refund", "internal/credit", "internal/mail", "internal/document",
		"internal/pdf", "internal/ubl", "internal/postgres/jobs*.go", "cmd/server/backup_invoice_test.go",
		"internal/app/mail*.go", "internal/app/demo_books.go", "internal/app/demo_fill.go", "internal/app/demo_invoice.go",
		"internal/app/demo_life*.go", "internal/app/kill_test.go",
		"internal/web/invoice*.go", "internal/web/payment*.go", "internal/web/refund*.go", "internal/web/credit_note*.go",
		"internal/web/mail*.go", "internal/web/documents*.go", "internal/web/e_invoice*.go", "internal/web/ledger.go",
		"internal/web/standing*.go", "internal/web/customer_invoices.go",
		"templates/invoice*", "templates/payments*", "templates/refunds*", "templates/credit_notes*", "templates/ledger*",
		"templates/mail*", "templates/customer_invoices*", "static/invoice-lines.js",
		"e2e/accessibility_invoices_test.go", "e2e/back_test.go", "e2e/credit_test.go", "e2e/crashed_form_test.go",
		"e2e/deployed_test.go", "e2e/doubleclick_test.go", "e2e/download_test.go", "e2e/expired_test.go",
		"e2e/expired_login_test.go", "e2e/extremes_test.go", "e2e/finding_test.go", "e2e/form_test.go",
		"e2e/impatience_test.go", "e2e/kept_test.go", "e2e/kept_for_test.go", "e2e/kept_secrets_test.go",
		"e2e/keyboard_test.go",
		"e2e/layers_test.go", "e2e/killed_test.go", "e2e/life_test.go", "e2e/lines_test.go", "e2e/lost_answer_test.go",
		"e2e/mail_test.go", "e2e/media_test.go", "e2e/money_test.go", "e2e/offer_test.go", "e2e/offline_test.go",
		"e2e/refresh_test.go", "e2e/server_test.go", "e2e/replicas_test.go", "e2e/story_test.go", "e2e/tabs_test.go", "e2e/tenants_test.go",
		"e2e/this_app_test.go", "e2e/two_people_test.go",
		"e2e/apps/this_app.json",
		"docs/docs.go", "docs/api-client", "docs/api-client.md", "internal/web/api_client*.go",
		"docs/mail.md", "docs/documents.md", "docs/e-invoice.md", "docs/deploy/grafana-mail.json",
	}
}
