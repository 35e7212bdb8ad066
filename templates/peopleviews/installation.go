package peopleviews

import "onlyonce/templates"

// AttemptField is the number of the attempt of a job that failed.
const AttemptField = "attempt"

// Installation is a list for admins of the installation.
type Installation struct {
	templates.Finder

	Title, About string
	None         string // the heading of an empty list
	Columns      []templates.Column
	Rows         []InstallationRow
}

// InstallationRow has a text for each column, or for all but the last one, which then has the button.
type InstallationRow struct {
	Cells []string
	Retry string // the address to which the button is posted, or "" for none
	// Label is the name of the button for screen readers, and Fields are sent with it.
	Label  string
	Fields []templates.Field
}
