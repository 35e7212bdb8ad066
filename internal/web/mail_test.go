package web_test

import (
	"net/url"
	"testing"

	"onlyonce/internal/mail"
)

func mails() thing {
	command := url.Values{"recipient": {"ada@example.com"}}
	return thing{
		name: "e-mail", path: "/outbox", at: "/send", parent: &parent{thing: invoices(), ready: []string{"issue"}},
		verb: "send", past: "queued", command: command, label: "2026-0001 to ada@example.com",
		leaves: rows{"mails": 1, "intents": 1, "intent_effects": 1},
		other:  change(command, "recipient", "grace@example.com"),
		fields: []field{{"recipient", "office@example.com", "ada at example", "/recipient"}},
		json:   func(form url.Values) string { return encode(map[string]any{"recipient": form.Get("recipient")}) },
		input:  mail.Input{},
	}
}

// TestOnlyWhatIsIssuedIsSent: neither a draft nor a void invoice.
func TestOnlyWhatIsIssuedIsSent(t *testing.T) {
	t.Parallel()
	for name, ready := range map[string][]string{"draft": nil, "void draft": {"void"}, "void": {"issue", "void"}} {
		for _, f := range formats() {
			t.Run(name+"/"+f.name(), func(t *testing.T) {
				of := mails()
				of.parent.ready = ready
				x := setup(t).try(of, f)
				refused := x.ask(x.command)
				x.format.refused(x, refused, "not-issued", x.command)
				if x.isHTML() {
					x.page(refused).says("Only an issued invoice can be sent. Nothing was sent.").leadsTo(x.pageOf(""))
				}
				x.wantRows(rows{})
				x.wantOutcomes("conflict")
			})
		}
	}
}
