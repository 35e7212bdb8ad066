package web

import (
	"net/http"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/web/apidoc"
	"onlyonce/templates"
)

// rulesPath is the address of the page with the rules of all resources, each below its own anchor.
const rulesPath = "/rules"

// showRules shows the registered rules.
func (s *Server) showRules(w http.ResponseWriter, r *http.Request) error {
	var sections []templates.RuleSection
	for _, reg := range s.resources {
		section := templates.RuleSection{Title: sectionTitle(reg.many), Anchor: reg.many}
		for _, op := range reg.operations {
			section.Operations = append(section.Operations, templates.OperationRule{
				Title: reg.words[op.Name].Title, Promise: promise(op.Kind), Kept: apidoc.Hours(op.Retain),
			})
			if op.Alike != "" {
				section.Rules = append(section.Rules, templates.Rule{
					Sentence: op.Alike, Answer: "People are asked, and one click creates it anyway. " +
						"The API creates it and returns the ID of the record it looks like.",
				})
			}
		}
		section.Rules = append(apidoc.Rules(reg.rules), section.Rules...)
		if len(section.Operations)+len(section.Rules) > 0 {
			sections = append(sections, section)
		}
	}
	return s.Render(w, r, http.StatusOK, templates.RulesPage(s.Page(w, r), sections))
}

// promise returns the guarantee of a kind of operation.
func promise(kind idempotency.Kind) string {
	switch kind {
	case idempotency.Upsert:
		return "Creates one, or returns the existing one unchanged. A repeat gets the same one."
	case idempotency.Change:
		return "Changes the version you saw. A repeat changes nothing more. If somebody else has changed it since, both versions " +
			"are shown, and nothing is overwritten."
	case idempotency.Transition:
		return "Changes the status once, with everything that follows from it. If it already has that status, nothing more happens."
	default:
		return "Creates one. A repeat creates nothing and gets the first one."
	}
}
