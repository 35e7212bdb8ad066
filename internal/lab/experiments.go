package lab

import (
	"context"
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

func scripts() []script {
	all := []script{
		fiveClicks(), twoTabs(), lostAnswer(), sameNumber(), twoEdits(), payTwice(), oneEvent(), twoClocks(), tomorrow(), fifty(),
		signUp(), upload(), kill(), stopPostgres(),
	}
	for n, s := range all {
		t := takeaways()[s.Slug]
		t.SQL = s.counts
		for _, layer := range s.Layers {
			t.Code = append(t.Code, code(layer.Slug))
		}
		all[n].Takeaway = t
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

// invoiceLane creates the invoice.
func invoiceLane(who string) lane {
	return lane{who: who, method: "POST", path: invoicesPath, body: anInvoice}
}

// ofInvoices completes a script that counts invoices.
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
	s := ofInvoices(script{play: atOnce, Experiment: Experiment{
		Slug: "five-clicks", Title: "Click five times",
		Story: "You fill in one invoice and press “Create invoice” five times, because nothing seems to happen. " +
			"All five clicks come from one form.",
		Question: "How many invoices will there be?", Guesses: []int{0, 1, 5},
		Layers: []Layer{formLockLayer, intentLayer},
	}})
	for n := range 5 {
		s.lanes = append(s.lanes, invoiceLane(fmt.Sprintf("Click %d", n+1)))
	}
	return s
}

func twoTabs() script {
	return ofInvoices(script{
		Experiment: Experiment{
			Slug: "two-tabs", Title: "Send one form from two tabs",
			Story: "Somebody duplicates the tab with a form that is filled in, and sends the form from both tabs at the same moment. " +
				"No script in one tab can see what the other one does.",
			Question: "How many invoices will there be?", Guesses: []int{0, 1, 2},
			Layers: []Layer{intentLayer},
		},
		lanes: []lane{invoiceLane("Tab 1"), invoiceLane("Tab 2")},
		play:  atOnce,
	})
}

func lostAnswer() script {
	return ofInvoices(script{
		Experiment: Experiment{
			Slug: "lost-answer", Title: "Lose the answer",
			Story: "A program creates an invoice. The server saves it, and then the connection breaks, so that the answer never " +
				"arrives. The program cannot know whether it worked, and tries again.",
			Question: "How many invoices will there be?", Guesses: []int{0, 1, 2},
			Layers: []Layer{oneKeyLayer, intentLayer},
		},
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
		Experiment: Experiment{
			Slug: "same-number", Title: "Give two invoices one number",
			Story: "Two colleagues enter the same paper invoice at the same moment, each in a form of their own, and both type its " +
				"number 2026-0042. To the server, these are two different requests.",
			Question: "How many invoices will have the number 2026-0042?", Guesses: []int{0, 1, 2},
			Layers: []Layer{{
				uniqueNumber, "the unique number", "The rule in the database that each number exists once a year is dropped.",
			}},
		},
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
		Experiment: Experiment{
			Slug: "two-edits", Title: "Change one customer twice",
			Story: "Ada and Ben open the same customer. Ada corrects the address and saves. Ben still sees the old address; " +
				"he corrects the name and saves the whole form.",
			Question: "How many of the two changes will be accepted?", Guesses: []int{0, 1, 2},
			Layers: []Layer{{version, "the version that was seen", "A change is accepted whichever version of the customer it was made " +
				"from, so Ben's old address overwrites Ada's new one."}},
		},
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
		Experiment: Experiment{
			Slug: "tomorrow", Title: "Send it again tomorrow",
			Story: "A program creates an invoice and is switched off before it can note that. A day later it runs again and sends " +
				"the same request. The server keeps answers for only a day; here a day lasts a fifth of a second.",
			Question: "How many invoices will there be?", Guesses: []int{0, 1, 2},
			Layers: []Layer{{keyForLife, "the key, for life", "When the stored answer is erased, the server forgets the key as well."}},
		},
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
		Experiment: Experiment{
			Slug: "fifty", Title: "Send it fifty times at once",
			Story: "A runaway program sends the same request fifty times at the same moment, half of them to one server and half to " +
				"another one on the same database.",
			Question: "How many invoices will there be?", Guesses: []int{1, 2, 50},
			Layers: []Layer{oneKeyLayer, intentLayer},
		},
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
		Experiment: Experiment{
			Slug: "stop-postgres", Title: "Crash the database",
			Story: "The database saves an invoice and crashes before it can say so. The server cannot find out what became of it while " +
				"the database is down. The program tries again until the database is back.",
			Question: "How many invoices will there be?", Guesses: []int{0, 1, 2, 3},
			Layers: []Layer{oneKeyLayer, intentLayer},
		},
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
