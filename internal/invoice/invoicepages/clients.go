package invoicepages

import (
	"onlyonce/docs"
	"onlyonce/templates"
)

// clientPrograms are those of the guide in docs/api-client.md.
func clientPrograms() templates.Programs {
	programs := templates.Programs{About: "These programs do so. Each creates an invoice once, whatever happens to the answers."}
	for _, name := range []string{"create.sh", "create.mjs", "main.go", "invoice.json"} {
		text, err := docs.Clients.ReadFile("api-client/" + name)
		if err != nil {
			panic(err) // cannot be: it is part of the program
		}
		programs.All = append(programs.All, templates.Program{Name: name, Text: string(text)})
	}
	return programs
}
