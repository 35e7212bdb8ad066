package scenario

import (
	"path"
	"strings"
)

// Family is a file of scenarios in e2e.
type Family struct {
	File  string // such as tabs_test.go
	Title string
}

// Families lists the titles of the families, in the order of the report. The title of an unlisted file is derived from its
// name, and comes at the end.
func Families() []Family {
	all := []Family{
		{"e2e/invoice_this_app_test.go", "The incidents"},
		{"e2e/buttons_test.go", "Buttons and habits"},
		{"e2e/invoice_impatience_test.go", "Impatience with a slow answer"},
		{"e2e/invoice_back_test.go", "The Back button"},
		{"e2e/invoice_layers_test.go", "Each layer carries weight"},
		{"e2e/invoice_two_people_test.go", "Two people at once"},
		{"e2e/invoice_server_test.go", "The server refuses or goes away"},
		{"e2e/invoice_killed_test.go", "The program is killed"},
		{"e2e/invoice_expired_test.go", "Answers expire"},
		{"e2e/invoice_crashed_form_test.go", "What was typed and not sent"},
		{"e2e/invoice_kept_for_test.go", "For whom it is kept, and how long"},
		{"e2e/invoice_kept_secrets_test.go", "What is never kept"},
		{"e2e/invoice_offer_test.go", "How it is offered"},
		{"e2e/invoice_expired_login_test.go", "The login is over"},
		{"e2e/invoice_offline_test.go", "Offline"},
		{"e2e/invoice_form_test.go", "Refusals and wanted repeats"},
		{"e2e/invoice_life_test.go", "The life of an invoice"},
		{"e2e/invoice_webhooks_test.go", "Webhooks"},
		{"e2e/invoice_schedules_test.go", "Recurring invoices"},
		{"e2e/invoice_tenants_test.go", "Two businesses in one browser"},
		{"e2e/invoice_replicas_test.go", "Several replicas"},
		{"e2e/invoice_lines_test.go", "Lines of an invoice"},
		{"e2e/invoice_finding_test.go", "Finding"},
		{"e2e/invoice_keyboard_test.go", "Without a mouse"},
		{"e2e/invoice_download_test.go", "Files"},
		{"e2e/invoice_media_test.go", "Contrast themes and paper"},
		{"e2e/invoice_extremes_test.go", "Extreme contents"},
		{"e2e/invoice_story_test.go", "A whole business"},
		{"e2e/invoice_deployed_test.go", "The suite itself"},
		{"e2e/lab_yourself_test.go", "Do it yourself"},
		{"e2e/lab_tour_test.go", "The tour of the lab"},
		{"e2e/servers_test.go", "The incidents on little servers"},
		{"e2e/change_test.go", "Edits"},
		{"e2e/people_test.go", "People and tokens"},
		{"e2e/logout_test.go", "Logging out"},
		{"e2e/lab_test.go", "The lab"},
		{"e2e/accessibility_test.go", "Accessibility"},
		{"e2e/habits_test.go", "Habits of apps"},
		{"e2e/described_test.go", "Descriptions of other apps"},
		{"e2e/other_app_test.go", "Other apps"},
		{"e2e/elsewhere_test.go", "The suite elsewhere"},
	}
	for i := range all {
		all[i].File = path.Base(all[i].File)
	}
	return all
}

// titleOfFile derives a title from the name of a file.
func titleOfFile(file string) string {
	words := strings.ReplaceAll(strings.TrimSuffix(file, "_test.go"), "_", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}
