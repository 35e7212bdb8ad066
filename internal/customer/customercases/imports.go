package customercases

import (
	"net/url"

	"onlyonce/internal/site/sitetest"
)

// Imports create customers from files. Their jobs are not run.
func Imports() sitetest.Resource {
	command := url.Values{
		"file": {sitetest.FileValue("customers.csv", "Name,Email\nAda Lovelace,ada@example.com\n")}, "separator": {""}, "encoding": {""},
	}
	return sitetest.Resource{
		Name: "import", Path: "/customer-imports", People: true,
		Words: sitetest.Words{
			Verb: "upload", Past: "uploaded", Button: "Upload", Told: "customers.csv uploaded. Nothing was created yet.",
		},
		Command: command, Label: "customers.csv",
		Leaves: sitetest.Rows{"imports": 1, "import_files": 1, "intents": 1},
		Other:  sitetest.Change(command, "file", sitetest.FileValue("customers.csv", "Name,Email\nGrace Hopper,grace@example.com\n")),
		Fields: []sitetest.Field{
			{
				Name: "file", Valid: sitetest.FileValue("others.csv", "Name,Email\nAda Lovelace,ada@example.com\n"),
				Invalid: sitetest.FileValue("customers.csv", "Name,Email\n\"Ada"), Pointer: "/file",
			},
			{Name: "separator", Valid: "semicolon", Invalid: "space", Pointer: "/separator"},
			{Name: "encoding", Valid: "windows-1252", Invalid: "ebcdic", Pointer: "/encoding"},
		},
		Transitions: []sitetest.Transition{
			{Verb: "confirm", Past: "confirmed"},
			{
				Verb: "stop", Past: "stopped", From: []string{"confirm"}, Undo: "continue",
				Refused: sitetest.Refusal{Slug: "import-not-confirmed"},
			},
			{Verb: "continue", Past: "continued", From: []string{"confirm", "stop"}, Undo: "stop"},
		},
	}
}
