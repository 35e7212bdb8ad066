package peopleviews

import "onlyonce/templates"

// Settings are the settings of a business, in groups.
type Settings struct {
	templates.RecordView

	Groups       []FactGroup
	DownloadHref string // of all data; "" for a user who may not have it
}

// FactGroup is facts under a heading.
type FactGroup struct {
	Title string
	Facts []templates.Fact
}

// SettingsForm is the form of the settings.
type SettingsForm struct {
	templates.Form

	Hint       string // another room's sentence about them; "" for none
	TaxHint    string // the use of the tax ID in e-invoices
	Countries  []templates.Option
	Currencies []templates.Option
	Zones      []templates.Option // time zones
}
