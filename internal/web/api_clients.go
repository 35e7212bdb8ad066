package web

import (
	"fmt"

	"onlyonce/docs"
	"onlyonce/templates"
)

// clientPrograms are those of the guide in docs/api-client.md.
func clientPrograms() (programs []templates.Program, err error) {
	for _, name := range []string{"create.sh", "create.mjs", "main.go", "invoice.json"} {
		text, err := docs.Clients.ReadFile("api-client/" + name)
		if err != nil {
			return nil, fmt.Errorf("read the guide: %w", err)
		}
		programs = append(programs, templates.Program{Name: name, Text: string(text)})
	}
	return programs, nil
}
