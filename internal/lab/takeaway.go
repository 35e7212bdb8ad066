package lab

// demoShell begins the commands of all takeaways. They send to the demo as make run starts it.
const demoShell = `API=http://127.0.0.1:8080/api/v1
KEY=lab-$(date +%s)-$$
post() { # KEY ADDRESS BODY: prints what matters of the answer
  curl -sS -D - -o /dev/null "$API$2" -H 'Authorization: Bearer oo_demo_acme' -H "Idempotency-Key: $1" \
    -H 'Content-Type: application/json' -d "$3" | grep -iE '^(HTTP|Location|Idempotent)'
}
address() { sed -n 's|^[Ll]ocation: */api/v1||p' | tr -d '\r'; } # of what was made
INVOICE='{"customer": {"email": "ada@example.com", "name": "Ada Lovelace"}, "currency": "EUR",
  "issue_date": "2026-11-21", "due_date": "2026-12-21",
  "lines": [{"description": "Design", "quantity": "1", "unit_price": "100.00", "tax_rate": "23"}]}'
`

// makeInvoice creates an invoice and sets $AT to its address.
const makeInvoice = `AT=$(post "$KEY" /invoices "$INVOICE" | address)
`

// takeaways returns the takeaways by experiment, without their SQL and code.
func takeaways() map[string]Takeaway {
	return map[string]Takeaway{
		"five-clicks": {
			Scenario: Code{"e2e/buttons_test.go", "clicksFiveTimes", `	s.tap(2)
	s.waiting(1)
	s.tap(3)`},
			Curl: demoShell + `for click in 1 2 3 4 5; do post "$KEY" /invoices "$INVOICE" & done; wait`,
		},
		"two-tabs": {
			Scenario: Code{"e2e/buttons_test.go", "duplicatesTheTab", `	other := s.tab(s.page.URL())
	b.fill(other)`},
			Curl: demoShell + `post "$KEY" /invoices "$INVOICE" & post "$KEY" /invoices "$INVOICE" & wait`,
		},
		"lost-answer": {
			Scenario: Code{"e2e/interruptions_test.go", "cutThenSend", `	v.sendAndLose(at)
	v.tryAgain()`},
			Curl: demoShell + `# The first try gives up after 20 ms. Whether it was carried out, nobody is told.
curl -sS --max-time 0.02 "$API/invoices" -H 'Authorization: Bearer oo_demo_acme' -H "Idempotency-Key: $KEY" \
  -H 'Content-Type: application/json' -d "$INVOICE"
post "$KEY" /invoices "$INVOICE"
post "$KEY" /invoices "$INVOICE"`,
		},
		"same-number": {
			Scenario: Code{"e2e/invoice_two_people_test.go", "TestTwoPeopleTakeOneNumberAtTheSameInstant",
				`		p.sees("Invoice number " + p.number(1) + " already exists. " + keptOriginal)`},
			Curl: demoShell + `NUMBERED="{\"number\": \"$KEY\", ${INVOICE#?}"
post "$KEY-ada" /invoices "$NUMBERED" & post "$KEY-ben" /invoices "$NUMBERED" & wait`,
		},
		"two-edits": {
			Scenario: Code{"e2e/change_test.go", "TestTwoPeopleEditAndBothAreKept",
				`	other.click(buttonSaveBoth)`},
			Curl: demoShell + `AT=$(post "$KEY" /customers "{\"email\": \"$KEY@example.com\", \"name\": \"Ada Lovelace\"}" | address)
put() { # NAME: of the version that both have seen
  curl -sS -D - -o /dev/null -X PUT "$API$AT" -H 'Authorization: Bearer oo_demo_acme' -H 'If-Match: "v1"' \
    -H 'Content-Type: application/json' -d "{\"email\": \"$KEY@example.com\", \"name\": \"$1\"}" | grep ^HTTP
}
put 'Ada King'
put 'Ada Byron'`,
		},
		"pay-twice": {
			Scenario: Code{"e2e/buttons_test.go", "opensItTwice", `	other, late := s.tab(address), s.tab(address)
	b.fill(other)
	b.fill(late)
	b.sendBoth(s, other)`},
			Curl: demoShell + makeInvoice + `post "$KEY" "$AT/issue" '{}'
PAYMENT='{"amount": "123.00", "date": "2026-11-22", "method": "bank_transfer"}'
post "$KEY" "$AT/payments" "$PAYMENT"
post "$KEY" "$AT/payments" "$PAYMENT"
post "$KEY-tab" "$AT/payments" "$PAYMENT"`,
		},
		"one-event": {
			Scenario: Code{"e2e/invoice_webhooks_test.go", "TestEventDeliveredThreeTimesAtOnce", `	release := s.lock("payments")
	answers := bank.deliver(3, event, paid)
	s.waiting(3)
	release()`},
			Curl: demoShell + makeInvoice + `post "$KEY" "$AT/issue" '{}'
HOOK=${API%/api/v1}/hooks/Cj4AAAAAQACAAAAAAACsPgo-AAAAAHAAgAAAAAAAAPA
SECRET=$(printf %s b25seW9uY2UtZGVtby1vbmx5b25jZS1kZW1v | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')
EVENT="{\"type\": \"payment.received\", \"timestamp\": \"2026-11-22T10:00:00Z\",
  \"data\": {\"invoice\": \"${AT##*/}\", \"payment\": \"$KEY\", \"amount\": \"41.00\", \"currency\": \"EUR\"}}"
deliver() { # what $KEY names
  now=$(date +%s)
  signed=$(printf '%s.%s.%s' "$KEY" "$now" "$EVENT" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$SECRET" -binary | openssl base64 -A)
  curl -sS -D - -o /dev/null "$HOOK" -H "webhook-id: $KEY" -H "webhook-timestamp: $now" -H "webhook-signature: v1,$signed" \
    -H 'Content-Type: application/json' --data-binary "$EVENT" | grep -iE '^(HTTP|Idempotent)'
}
deliver & deliver & wait
deliver
curl -sS "$API$AT" -H 'Authorization: Bearer oo_demo_acme' | grep -oE '"paid": ?"[^"]*"'`,
		},
		"two-clocks": {
			Scenario: Code{"e2e/buttons_test.go", "sendBoth", `		tab.pointAt(b.press)
		tab.tap(1)`},
			Curl: demoShell + makeInvoice + `CUSTOMER=$(curl -sS "$API$AT" -H 'Authorization: Bearer oo_demo_acme' |
  tr -d ' \n' | sed 's|.*"customer":{"id":"\([^"]*\)".*|\1|')
DAY=$(date -u +%F)
AT=$(post "$KEY" /schedules "{\"customer_id\": \"$CUSTOMER\", \"currency\": \"EUR\", \"every\": \"1\", \"unit\": \"month\",
  \"first_day\": \"$DAY\", \"bill_as\": \"issued\", \"missed\": \"each\",
  \"lines\": [{\"description\": \"Support\", \"quantity\": \"1\", \"unit_price\": \"100.00\", \"tax_rate\": \"23\"}]}" | address)
bill() { post "$1" "$AT/periods" "{\"period\": \"$DAY\"}"; }
bill "$KEY-ada" & bill "$KEY-ben" & wait # and the clock, when it strikes`,
		},
		"tomorrow": {
			Scenario: Code{"e2e/invoice_expired_test.go", "TestSendAgainWhenTheAnswerHasExpired",
				`	other.sees("This form already created " + s.number(1) + ".")`},
			Curl: demoShell + `# With a day of one second: IDEMPOTENCY_RETAIN=1s EXPIRE_EVERY=1s make run
post "$KEY" /invoices "$INVOICE"
sleep 3
post "$KEY" /invoices "$INVOICE"`,
		},
		"fifty": {
			Scenario: Code{"e2e/invoice_replicas_test.go", "TestStillSaving",
				`			s.attempts("created", "in_progress", "replayed")`},
			Curl: demoShell + `for n in $(seq 50); do post "$KEY" /invoices "$INVOICE" & done; wait`,
		},
		"sign-up": {
			Scenario: Code{"e2e/sign_up_test.go", "signUp", `	s.pointAt(buttonEmailALink)
	s.tap(5)`},
			Curl: demoShell + `ask() { # KEY: of the form; prints where the answer leads
  curl -sS -D - -o /dev/null "${API%/api/v1}/sign-ups" --data-urlencode "email=$KEY@example.com" -d "idempotency_key=$1" |
    grep -iE '^(HTTP|Location)'
}
ask "$KEY" & ask "$KEY" & wait
ask "$KEY-tab"`,
		},
		"upload": {
			Scenario: Code{"e2e/invoice_upload_test.go", "TestClicksDuringAnUpload",
				`			s.until("the upload has begun", func() bool { return wire.holding() >= 1 })`},
			Curl: demoShell + makeInvoice + `FILE='{"file": {"name": "order.txt", "content": "VHdvIHBvc3RlcnMK"}}'
post "$KEY" "$AT/attachments" "$FILE" & post "$KEY" "$AT/attachments" "$FILE" & wait
post "$KEY-tab" "$AT/attachments" "$FILE"`,
		},
		"kill": {
			Scenario: Code{"e2e/invoice_killed_test.go", "TestKilledDuringACreate", `	release := s.lockInvoices()
	s.pointAt(buttonCreateInvoice)
	s.tap(1)`},
			Curl: demoShell + `post "$KEY" /invoices "$INVOICE"
# Kill the app now, with kill -9, start it again, and then:
post "$KEY" /invoices "$INVOICE"`,
		},
		"stop-postgres": {
			Scenario: Code{"e2e/invoice_server_test.go", "TestDatabaseRestartsDuringACreate", `	back := s.loseDatabase()
	s.sees(saysCouldNotConfirm)`},
			Curl: demoShell + `post "$KEY" /invoices "$INVOICE"
# Restart PostgreSQL now, and then:
post "$KEY" /invoices "$INVOICE"`,
		},
	}
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
