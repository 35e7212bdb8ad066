package templates

// Settings are the settings of a business, in groups.
type Settings struct {
	RecordView

	Groups []FactGroup
}

// FactGroup is facts under a heading.
type FactGroup struct {
	Title string
	Facts []Fact
}

// SettingsForm is the form of the settings.
type SettingsForm struct {
	Form

	Countries  []Option
	Currencies []Option
}
