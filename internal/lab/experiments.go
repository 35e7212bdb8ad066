package lab

import (
	"context"
	_ "embed" // for texts, commands and quotes
	"encoding/json"
	"fmt"
	"strings"

	"onlyonce/internal/proof/proxy"
)

// Experiments returns all experiments, in the order in which they are shown.
func Experiments() (all []Experiment) {
	for _, s := range scripts() {
		all = append(all, s.Experiment)
	}
	return all
}

var (
	//go:embed experiments.json
	texts []byte
	//go:embed takeaways.sh
	shell string
	//go:embed quotes.txt
	quotations string
)

// scripts returns the experiments of experiments.json with their scripts.
func scripts() (all []script) {
	begin := map[string]func() script{
		"five-clicks": fiveClicks, "two-tabs": twoTabs, "lost-answer": lostAnswer, "same-number": sameNumber, "two-edits": twoEdits,
		"pay-twice": payTwice, "one-event": oneEvent, "two-clocks": twoClocks, "tomorrow": tomorrow, "fifty": fifty, "sign-up": signUp,
		"upload": upload, "kill": kill, "stop-postgres": stopPostgres,
	}
	var known struct {
		Layers      map[string]Layer
		Experiments []struct {
			Experiment

			Met []string // the keys of its layers
		}
	}
	if err := json.Unmarshal(texts, &known); err != nil { //nolint:musttag // the file has the names of the fields
		panic(err) // cannot be: the file is part of the program
	}
	curl, quoted := commands(), quotes()
	for _, e := range known.Experiments {
		s := begin[e.Slug]()
		s.Experiment = e.Experiment
		s.Takeaway = Takeaway{Scenario: quoted[s.Slug], Curl: curl[s.Slug], SQL: s.counts}
		for _, key := range e.Met {
			l := known.Layers[key]
			s.Layers, s.Takeaway.Code = append(s.Layers, l), append(s.Takeaway.Code, quoted[l.Slug])
		}
		all = append(all, s)
	}
	return all
}

// commands returns the shell commands of the takeaways by experiment.
func commands() map[string]string {
	all := map[string]string{}
	scripts := strings.Split(shell, "\n# experiment: ")
	for _, text := range scripts[1:] {
		slug, curl, _ := strings.Cut(text, "\n")
		all[slug] = scripts[0] + strings.TrimSuffix(curl, "\n")
	}
	return all
}

// quotes returns the browser tests by experiment, and the places of the layers in this repository by layer.
func quotes() map[string]Code {
	all := map[string]Code{}
	for _, text := range strings.Split(quotations, "\n== ")[1:] {
		head, lines, _ := strings.Cut(text, "\n")
		words := strings.Fields(head)
		all[words[0]] = Code{words[1], words[2], strings.TrimSuffix(lines, "\n")}
	}
	return all
}

const (
	invoicesPath = "/api/v1/invoices"
	// anInvoice is an invoice of €123.00; the server allocates its number.
	anInvoice = `{
		"customer": {"email": "ada@example.com", "name": "Ada Lovelace"},
		"issue_date": "2026-11-21", "due_date": "2026-12-21", "currency": "EUR",
		"lines": [{"description": "Design", "quantity": "1", "unit_price": "100.00", "tax_rate": "23"}]
	}`
	invoiceAmount = 123_00

	countInvoices = "SELECT number, (total / 100.0)::numeric(12, 2) AS eur, to_char(created_at, 'HH24:MI:SS.MS') AS created_at\n" +
		"FROM invoices ORDER BY number, id"
	markInvoices = "SELECT id::text FROM invoices ORDER BY number, id"
)

func invoiceLane(who string) lane {
	return lane{who: who, method: "POST", path: invoicesPath, body: anInvoice}
}

func ofInvoices(s script) script {
	s.noun, s.amount, s.counts, s.marks = "invoice", invoiceAmount, countInvoices, markInvoices
	return s
}

// atOnce makes all attempts at the same time.
func atOnce(ctx context.Context, s *stage) error {
	all := make([]int, len(s.lanes))
	for n := range all {
		all[n] = n
	}
	return s.together(ctx, all, lockNumbers)
}

func fiveClicks() script {
	s := ofInvoices(script{play: atOnce})
	for n := range 5 {
		s.lanes = append(s.lanes, invoiceLane(fmt.Sprintf("Click %d", n+1)))
	}
	return s
}

func twoTabs() script {
	return ofInvoices(script{
		lanes: []lane{invoiceLane("Tab 1"), invoiceLane("Tab 2")},
		play:  atOnce,
	})
}

func lostAnswer() script {
	return ofInvoices(script{
		lanes: []lane{invoiceLane("Try 1"), invoiceLane("Try 2")},
		play: func(ctx context.Context, s *stage) error {
			s.front[0].Arm(proxy.Cut{Point: proxy.BeforeAnswer})
			s.send(ctx, 0)
			s.stays(0)
			s.event("The connection was cut after the invoice was saved, before the answer arrived.")
			s.send(ctx, 1)
			return nil
		},
	})
}

func sameNumber() script {
	s := ofInvoices(script{
		lanes: []lane{invoiceLane("Ada"), invoiceLane("Ben")},
		play:  atOnce,
	})
	for n := range s.lanes {
		s.lanes[n].intent = n
		s.lanes[n].body = strings.Replace(anInvoice, "{", `{"number": "2026-0042",`, 1)
	}
	return s
}

func twoEdits() script {
	const counts = "SELECT to_char(at, 'HH24:MI:SS.MS') AS at, changes\nFROM intents WHERE operation = 'customer.edit' ORDER BY intents.at"
	s := script{
		noun: "accepted change", counts: counts,
		marks: `
			SELECT (1 + row_number() OVER (ORDER BY at))::text FROM intents WHERE operation = 'customer.edit' ORDER BY at`,
		play: func(ctx context.Context, s *stage) error {
			s.record = customerID
			s.send(ctx, 0)
			s.send(ctx, 1)
			return nil
		},
	}
	for n, change := range []struct{ who, body string }{
		{"Ada", `{"email": "ada@example.com", "name": "Ada Lovelace", "address": "7 New Street", "country": "GB"}`},
		{"Ben", `{"email": "ada@example.com", "name": "Ada King", "address": "12 Old Street", "country": "GB"}`},
	} {
		s.lanes = append(s.lanes, lane{
			who: change.who, intent: n, method: "PUT", path: "/api/v1/customers/{id}", body: change.body, seen: `"v1"`,
		})
	}
	return s
}

func tomorrow() script {
	return ofInvoices(script{
		env:   []string{"IDEMPOTENCY_RETAIN=200ms", "EXPIRE_EVERY=50ms"},
		lanes: []lane{invoiceLane("Today"), invoiceLane("Tomorrow")},
		play: func(ctx context.Context, s *stage) error {
			s.send(ctx, 0)
			if err := s.count(ctx, 0, `SELECT count(*) FROM intents WHERE result IS NOT NULL`); err != nil {
				return err
			}
			s.event("The day is over, and the server erased the stored answer.")
			s.send(ctx, 1)
			return nil
		},
	})
}

func fifty() script {
	s := ofInvoices(script{
		replicas: 2,
		play:     atOnce,
	})
	for n := range attempts {
		l := invoiceLane(fmt.Sprintf("Request %d, server %d", n+1, n%2+1))
		l.replica = n % 2
		s.lanes = append(s.lanes, l)
	}
	return s
}

func stopPostgres() script {
	return ofInvoices(script{
		alone: true,
		lanes: []lane{invoiceLane("Try 1"), invoiceLane("Try 2"), invoiceLane("Try 3")},
		play: func(ctx context.Context, s *stage) error {
			sent, err := s.commitUnheard(ctx, 0)
			if err != nil {
				return err
			}
			s.back[0].Isolate()
			s.event("The database crashed after the invoice was saved, before it could say so.")
			if err := s.cluster.crash(ctx); err != nil {
				return err
			}
			s.admin.Reset()
			<-sent
			s.send(ctx, 1)
			s.back[0].Heal()
			s.event("The database recovered from its log and accepts connections again.")
			s.send(ctx, 2)
			return nil
		},
	})
}
