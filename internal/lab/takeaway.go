package lab

import (
	_ "embed" // for the shell commands
	"strings"
)

//go:embed takeaways.sh
var shell string

// takeaways returns the takeaways by experiment, without their SQL and code.
func takeaways() map[string]Takeaway {
	all := map[string]Takeaway{}
	scripts := strings.Split(shell, "\n# experiment: ")
	for _, text := range scripts[1:] {
		slug, curl, _ := strings.Cut(text, "\n")
		all[slug] = Takeaway{Scenario: scenario(slug), Curl: scripts[0] + strings.TrimSuffix(curl, "\n")}
	}
	return all
}

// scenario returns the browser test of an experiment.
func scenario(slug string) Code {
	return map[string]Code{
		"five-clicks": {"e2e/buttons_test.go", "clicksFiveTimes", `	s.tap(2)
	s.waiting(1)
	s.tap(3)`},
		"two-tabs": {"e2e/buttons_test.go", "duplicatesTheTab", `	other := s.tab(s.page.URL())
	b.fill(other)`},
		"lost-answer": {"e2e/interruptions_test.go", "cutThenSend", `	v.sendAndLose(at)
	v.tryAgain()`},
		"same-number": {"e2e/invoice_two_people_test.go", "TestTwoPeopleTakeOneNumberAtTheSameInstant",
			`		p.sees("Invoice number " + p.number(1) + " already exists. " + keptOriginal)`},
		"two-edits": {"e2e/change_test.go", "TestTwoPeopleEditAndBothAreKept",
			`	other.click(buttonSaveBoth)`},
		"pay-twice": {"e2e/buttons_test.go", "opensItTwice", `	other, late := s.tab(address), s.tab(address)
	b.fill(other)
	b.fill(late)
	b.sendBoth(s, other)`},
		"one-event": {"e2e/invoice_webhooks_test.go", "TestEventDeliveredThreeTimesAtOnce", `	release := s.lock("payments")
	answers := bank.deliver(3, event, paid)
	s.waiting(3)
	release()`},
		"two-clocks": {"e2e/buttons_test.go", "sendBoth", `		tab.pointAt(b.press)
		tab.tap(1)`},
		"tomorrow": {"e2e/invoice_expired_test.go", "TestSendAgainWhenTheAnswerHasExpired",
			`	other.sees("This form already created " + s.number(1) + ".")`},
		"fifty": {"e2e/invoice_replicas_test.go", "TestStillSaving",
			`			s.attempts("created", "in_progress", "replayed")`},
		"sign-up": {"e2e/sign_up_test.go", "signUp", `	s.pointAt(buttonEmailALink)
	s.tap(5)`},
		"upload": {"e2e/invoice_upload_test.go", "TestClicksDuringAnUpload",
			`			s.until("the upload has begun", func() bool { return wire.holding() >= 1 })`},
		"kill": {"e2e/invoice_killed_test.go", "TestKilledDuringACreate", `	release := s.lockInvoices()
	s.pointAt(buttonCreateInvoice)
	s.tap(1)`},
		"stop-postgres": {"e2e/invoice_server_test.go", "TestDatabaseRestartsDuringACreate", `	back := s.loseDatabase()
	s.sees(saysCouldNotConfirm)`},
	}[slug]
}

// code returns the place of a layer in this repository.
func code(slug string) Code {
	return map[string]Code{
		formLock: {"static/submit-guard.js", "submit", `    const held = locks.get(form);
    if (!held && (navigator.onLine || reached)) return lock(form, event.submitter);
    event.preventDefault();`},
		intent: {
			"migrations/00102_intents.sql", "claim_intent",
			`    PERFORM pg_advisory_xact_lock(intent_lock(in_tenant, in_operation, in_key));
    IF EXISTS (SELECT FROM intents WHERE tenant_id = in_tenant AND operation = in_operation AND key = in_key) THEN
        RAISE EXCEPTION 'intent already carried out' USING ERRCODE = 'OO001';
    END IF;`,
		},
		oneKey: {"docs/api-client/create.sh", "create.sh", `# KEY was made and stored before the first try.`},
		uniqueNumber: {"migrations/00107_invoices.sql", "invoices_number_once_per_year",
			`    CONSTRAINT invoices_number_once_per_year UNIQUE (tenant_id, issue_year, number_folded),`},
		version: {"migrations/00102_intents.sql", "begin_change", `    ELSIF in_seen <> 0 AND in_seen <> in_version THEN
        RAISE EXCEPTION 'another version' USING ERRCODE = 'OO006', DETAIL = in_version;`},
		openAmount: {"migrations/00110_payments.sql", "post_payment", `    ELSIF NEW.amount > billed.open_amount THEN
        RAISE EXCEPTION 'more than is open'`},
		uniqueEvent: {"internal/invoice/webhook/receive.go", "Key", `	key := a.Source.String() + "/" + a.EventID`},
		paymentReference: {"migrations/00142_providers_of_payments.sql", "payments_reference_once",
			`CREATE UNIQUE INDEX payments_reference_once ON payments (tenant_id, provider_folded, reference)
    WHERE removed_at IS NULL AND reference IS NOT NULL;`},
		uniquePeriod: {"migrations/00116_schedules.sql", "schedule_periods_once",
			`    CONSTRAINT schedule_periods_once UNIQUE (tenant_id, schedule_id, period),`},
		openSignUp: {"migrations/00147_sign_ups.sql", "sign_ups_open_once",
			`CREATE UNIQUE INDEX sign_ups_open_once ON sign_ups (tenant_id, email) WHERE started_at IS NULL;`},
		fileDigest: {"migrations/00155_invoice_attachments_removed.sql", "attachments_once",
			`CREATE UNIQUE INDEX attachments_once ON attachments (tenant_id, invoice_id, file_digest) WHERE removed_at IS NULL;`},
		keyForLife: {"internal/idempotency/expire.go", "Expire", `		UPDATE intents SET result = NULL`},
		//nolint:dupword // it is code
		sameTransaction: {"internal/idempotency/pipeline.go", "commitIn", `	queue(pipeline, all)
	pipeline.SendPipelineSync()
	pipeline.SendQueryParams("COMMIT", nil, nil, nil, nil)`},
	}[slug]
}
