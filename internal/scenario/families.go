package scenario

import "strings"

// Family is the scenarios of one file in e2e.
type Family struct {
	File  string // such as tabs_test.go
	Title string
}

// Families lists the titles of the families, in the order of the report. A file that is not named here has a title made of
// its name, and comes at the end.
func Families() []Family {
	return []Family{
		// begin invoices
		{"this_app_test.go", "The incidents"},
		{"doubleclick_test.go", "The form lock"},
		{"impatience_test.go", "Impatience with a slow answer"},
		{"refresh_test.go", "Refreshing"},
		{"back_test.go", "The Back button"},
		{"tabs_test.go", "Several tabs"},
		{"lost_answer_test.go", "Lost answers"},
		{"layers_test.go", "Each layer carries weight"},
		{"two_people_test.go", "Two people at once"},
		{"server_test.go", "The server refuses or goes away"},
		{"killed_test.go", "The program is killed"},
		{"expired_test.go", "Answers expire"},
		{"crashed_form_test.go", "What was typed and not sent"},
		{"kept_for_test.go", "For whom it is kept, and how long"},
		{"kept_secrets_test.go", "What is never kept"},
		{"offer_test.go", "How it is offered"},
		{"expired_login_test.go", "The login is over"},
		{"offline_test.go", "Offline"},
		{"form_test.go", "Refusals and wanted repeats"},
		{"life_test.go", "The life of an invoice"},
		{"money_test.go", "Payments"},
		{"credit_test.go", "Refunds and credit notes"},
		{"mail_test.go", "Sending by e-mail"},
		{"tenants_test.go", "Two businesses in one browser"},
		{"replicas_test.go", "Several replicas"},
		{"lines_test.go", "Lines of an invoice"},
		{"finding_test.go", "Finding"},
		{"keyboard_test.go", "Without a mouse"},
		{"download_test.go", "Files"},
		{"media_test.go", "Contrast themes and paper"},
		{"extremes_test.go", "Extreme contents"},
		{"story_test.go", "A whole business"},
		{"deployed_test.go", "The suite itself"},
		// end invoices
		// begin lab
		{"lab_yourself_test.go", "Do it yourself"},
		{"lab_tour_test.go", "The tour of the lab"},
		// end lab
		{"servers_test.go", "The incidents on little servers"},
		{"change_test.go", "Edits"},
		{"archive_test.go", "Archiving and restoring"},
		{"people_test.go", "People and tokens"},
		{"logout_test.go", "Logging out"},
		// begin lab
		{"lab_test.go", "The lab"},
		// end lab
		{"accessibility_test.go", "Accessibility"},
		{"dev_test.go", "make dev"},
		{"other_app_test.go", "Other apps"},
	}
}

// titleOfFile makes a title of a file that has none.
func titleOfFile(file string) string {
	words := strings.ReplaceAll(strings.TrimSuffix(file, "_test.go"), "_", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}
