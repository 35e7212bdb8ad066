package torture

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// rule is a promise about the database. Its query returns the violations, one line of text each.
type rule struct{ name, sql string }

// allRules returns the rules for the database at rest.
func allRules() []rule {
	return slices.Concat(rules(), ledgerRules(), eventRules(), scheduleRules(), mergeRules(), erasureRules(), fileRules(), logoRules(),
		signUpRules(), reminderRules(), writeOffRules())
}

// rules are about intents, customers and invoices.
func rules() []rule {
	return []rule{
		{"no number twice", `
			SELECT format('%s times %s in %s', count(*), min(number), issue_year)
			FROM invoices GROUP BY tenant_id, issue_year, number_folded HAVING count(*) > 1`},
		{"no gap in a run of numbers", `
			SELECT format('%s is missing, the last is %s', wanted.number, s.last)
			FROM invoice_number_runs s, generate_series(s.first, s.last) AS n,
				LATERAL (SELECT s.year || '-' || lpad(n::text, greatest(4, length(n::text)), '0') AS number) AS wanted
			WHERE NOT EXISTS (
				SELECT FROM invoices i
				WHERE i.tenant_id = s.tenant_id AND i.issue_year = s.year AND i.number_folded = wanted.number)`},
		{"no number of a series outside of its runs", `
			SELECT number
			FROM invoices i, series_place(number_folded, issue_year) AS place
			WHERE place IS NOT NULL AND NOT EXISTS (
				SELECT FROM invoice_number_runs s
				WHERE s.tenant_id = i.tenant_id AND s.year = i.issue_year AND place BETWEEN s.first AND s.last)`},
		{"every line is quantity times price", `
			SELECT format('invoice %s line %s', invoice_id, position)
			FROM invoice_lines WHERE net <> round(quantity * unit_price)`},
		{"the lines add up to the header", `
			WITH taxed AS (
				SELECT tenant_id, invoice_id, sum(net) AS net, round(sum(net) * tax_rate / 100) AS tax
				FROM invoice_lines GROUP BY tenant_id, invoice_id, tax_rate
			), summed AS (
				SELECT tenant_id, invoice_id AS id, sum(net) AS subtotal, sum(tax) AS tax FROM taxed GROUP BY 1, 2
			)
			SELECT format('invoice %s', id)
			FROM invoices i LEFT JOIN summed s USING (tenant_id, id)
			WHERE (i.subtotal, i.tax_total, i.total) IS DISTINCT FROM (s.subtotal, s.tax, s.subtotal + s.tax)`},
		{"no customer twice", `
			SELECT format('%s times %s %s', count(*), email_folded, name_folded)
			FROM customers WHERE email IS NOT NULL AND merged_into IS NULL
			GROUP BY tenant_id, email_folded, name_folded HAVING count(*) > 1`},
		{"no intent twice", `
			SELECT format('%s times %s %s', count(*), operation, key)
			FROM intents GROUP BY tenant_id, operation, key HAVING count(*) > 1`},
		{"no intent without its record", `
			SELECT format('%s %s: %s', operation, key, record_id)
			FROM intents o
			WHERE result->>'id' <> record_id::text OR NOT EXISTS (` + recordOfIntent() + `)`},
		{"one intent for each creation", `
			WITH created AS (
				SELECT tenant_id, record_id AS id, count(*) AS times
				FROM (
					-- Mails have a separate rule.
					SELECT tenant_id, record_id FROM intents WHERE outcome = 'created' AND operation <> 'mail.send'
					UNION ALL
					SELECT tenant_id, record_id FROM intent_effects WHERE effect = 'customer created'
					UNION ALL
					SELECT tenant_id, CASE kind WHEN 'payment' THEN payment_id ELSE refund_id END FROM webhook_events
					WHERE state = 'applied' AND reason = ''
					UNION ALL
					SELECT tenant_id, r.id FROM invoice_reminder_outcomes o JOIN invoice_reminders r USING (tenant_id, invoice_id, level)
					WHERE outcome = 'sent'
				) AS said GROUP BY 1, 2
			), there AS (
				SELECT tenant_id, id, count(*) AS times
				FROM (
					` + union(`SELECT tenant_id, id FROM %s`, "invoices", "customers", "payments", "refunds", "credit_notes", "schedules",
			"webhook_events", "customer_merges", "customer_erasures", "attachments", "logos", "sign_ups", "invoice_reminders",
			"invoice_reminder_batches", "reminder_plans", "write_offs") + `
					UNION ALL SELECT tenant_id, id FROM users WHERE email ~ '^(sales|moved)-' -- not the users of the demo
				) AS record GROUP BY 1, 2
			)
			SELECT format('%s: created %s times, there %s times', id, COALESCE(created.times, 0), COALESCE(there.times, 0))
			FROM there FULL JOIN created USING (tenant_id, id)
			WHERE created.times IS DISTINCT FROM there.times`},
		{"a version for each change", `
			SELECT format('%s: version %s, %s changes', id, version, times)
			FROM (
					` + union(`SELECT tenant_id, id, version FROM %s`, "invoices", "customers", "payments", "refunds", "credit_notes",
			"schedules", "settings", "attachments", "logos", "sign_ups", "write_offs") + `) AS record,
				LATERAL (
					SELECT count(*) AS times FROM (
						SELECT FROM intents o WHERE o.tenant_id = record.tenant_id AND record_id = record.id AND outcome = 'changed'
						UNION ALL
						SELECT FROM payments p, generate_series(0, (removed_at IS NOT NULL)::int) -- also its removal
						WHERE p.tenant_id = record.tenant_id AND p.invoice_id = record.id
						UNION ALL
						SELECT FROM refunds f WHERE f.tenant_id = record.tenant_id AND record.id IN (f.invoice_id, f.payment_id)
						UNION ALL
						SELECT FROM credit_notes n WHERE n.tenant_id = record.tenant_id AND n.invoice_id = record.id
						UNION ALL
						SELECT FROM write_offs w, generate_series(0, (reversed_at IS NOT NULL)::int) -- also its reversal
						WHERE w.tenant_id = record.tenant_id AND w.invoice_id = record.id
						UNION ALL
						SELECT FROM intent_effects e WHERE e.tenant_id = record.tenant_id AND e.record_id = record.id
							AND operation IN ('customer.merge', 'customer.undo_merge', 'customer.erase', 'logo.create')
						UNION ALL -- an erasure empties what was not issued
						SELECT FROM invoices i JOIN customers c ON c.tenant_id = i.tenant_id AND c.id = customer_id
						WHERE i.tenant_id = record.tenant_id AND i.id = record.id AND issued_at IS NULL AND erased_at IS NOT NULL
						UNION ALL
						SELECT FROM schedules s JOIN customers c ON c.tenant_id = s.tenant_id AND c.id = customer_id
						WHERE s.tenant_id = record.tenant_id AND s.id = record.id AND erased_at IS NOT NULL
						UNION ALL -- an invoice of a schedule is issued as it is created
						SELECT FROM schedule_periods p JOIN schedules s ON s.tenant_id = p.tenant_id AND s.id = schedule_id
						WHERE p.tenant_id = record.tenant_id AND p.id = record.id AND bill_as = 'issued') AS change) AS changed
			WHERE version <> 1 + times`},
		{"what was changed is said", `
			SELECT format('%s %s: %s with %s', operation, key, outcome, COALESCE(changes::text, 'nothing'))
			FROM intents WHERE (outcome = 'changed') <> (changes IS NOT NULL)`},
		// If two changes begin at the same value, the first one's new value is neither changed later nor current.
		{"each change begins where another one ended", `
			WITH change AS (
				SELECT tenant_id, record_id, field.key AS field, field.value
				FROM intents, jsonb_each(changes - 'version') AS field -- the rule above is about versions
				-- Payments change the state of an invoice, too. The customer and the business of a draft change without an edit, lines
				-- are in another table, and whether it is overdue is in none.
				WHERE CASE
					WHEN operation LIKE 'invoice.%'
						THEN field.key NOT IN ('status', 'overdue', 'paid', 'open', 'customer', 'seller', 'lines')
					WHEN operation = 'customer.undo_merge' THEN false
					-- A merge archives customers too.
					WHEN operation IN ('customer.archive', 'customer.restore') THEN NOT EXISTS (
						SELECT FROM intent_effects e
						WHERE e.tenant_id = intents.tenant_id AND e.record_id = intents.record_id AND e.operation = 'customer.merge')
					-- Fields in no table, or in another one.
					WHEN operation LIKE 'schedule.%' THEN field.key NOT IN ('next_day', 'failure', 'customer')
					ELSE true END
			), step AS (
				SELECT tenant_id, record_id, field, value->0 AS value, -1 AS times FROM change
				UNION ALL
				SELECT tenant_id, record_id, field, value->1, 1 FROM change
				UNION ALL
				SELECT tenant_id, id, field.key, field.value, -1
				FROM customers c, jsonb_each(to_jsonb(c) || jsonb_build_object('payment_days', COALESCE(payment_days::text, ''))) AS field
				UNION ALL
				SELECT tenant_id, id, field.key, field.value, -1
				FROM settings s, jsonb_each(to_jsonb(s) || jsonb_build_object(
					'payment_days', payment_days::text, 'tax_rate', COALESCE(tax_rate::text, ''))) AS field
				UNION ALL
				` + union(`SELECT tenant_id, id, field.key, field.value, -1 FROM %s AS r, jsonb_each(to_jsonb(r)) AS field`,
			"invoices", "schedules", "users", "sign_ups", "attachments", "logos", "write_offs") + `
			)
			SELECT format('%s: %s was made %s and is not', record_id, field, value)
			FROM step GROUP BY tenant_id, record_id, field, value HAVING sum(times) > 0`},
		{"a transition changes what was not so", `
			SELECT format('%s %s: %s', operation, key, changes)
			FROM intents
			WHERE outcome = 'changed' AND operation IN ('customer.archive', 'customer.restore') AND (
				changes - 'archived_at' - 'version' <> '{}'
				OR changes->'archived_at' IS DISTINCT FROM '[null, null]' AND ( -- not erased
					(changes->'archived_at'->>0 IS NULL) <> (operation = 'customer.archive')
					OR (changes->'archived_at'->>1 IS NULL) <> (operation = 'customer.restore')))`},
	}
}

// recordOfIntent returns a query for the record of an intent o.
func recordOfIntent() string {
	var all []string
	for operations, table := range map[string]string{
		"invoice.%": "invoices", "customer.%": "customers", "customer.%merge": "customer_merges", "customer.erase": "customer_erasures",
		"webhook.receive": "webhook_events", "settings.%": "settings", "payment.%": "payments", "user.%": "users",
		"refund.create": "refunds", "credit_note.create": "credit_notes", "mail.send": "mails", "schedule.%": "schedules",
		"schedule.bill%": "schedule_periods", "attachment.%": "attachments", "logo.%": "logos", "sign_up.%": "sign_ups",
		"reminder.send": "invoice_reminders", "reminder.send_batch": "invoice_reminder_batches", "reminder_plan.%": "reminder_plans",
		"write_off.%": "write_offs",
	} {
		all = append(all, fmt.Sprintf(
			`SELECT FROM %s r WHERE o.operation LIKE '%s' AND r.tenant_id = o.tenant_id AND r.id = record_id`, table, operations))
	}
	return strings.Join(all, " UNION ALL ")
}

// union returns the union of a query for each of the tables.
func union(query string, tables ...string) string {
	var all []string
	for _, table := range tables {
		all = append(all, fmt.Sprintf(query, table))
	}
	return strings.Join(all, " UNION ALL ")
}

// whileServing returns the rules that become true while the replicas run idle.
func whileServing() []rule {
	return []rule{
		{"no transaction stays open", `
			SELECT format('backend %s is %s since %s: %s', pid, state, state_change, query)
			FROM pg_stat_activity WHERE usename = 'onlyonce' AND state LIKE 'idle in transaction%'`},
		{"results expire", `
			SELECT format('%s results, the oldest should have gone at %s', count(*), min(expires_at))
			FROM intents WHERE expires_at < now() - interval '5 seconds' AND result IS NOT NULL HAVING count(*) > 0`},
	}
}

// afterDraining returns the rules that become true after the replicas have stopped.
func afterDraining() []rule {
	return []rule{{"no session outlives its replica", `
		SELECT format('backend %s is %s since %s: %s', pid, state, state_change, query)
		FROM pg_stat_activity WHERE usename = 'onlyonce'`}}
}

// broken returns up to five examples for each rule that is broken now. args are the named arguments of the rules.
func broken(ctx context.Context, conn *pgx.Conn, rules []rule, args pgx.NamedArgs) (found []Violation, err error) {
	for _, r := range rules {
		var example string
		err := each(ctx, conn, "what breaks the rule "+r.name, []any{&example}, func() {
			found = append(found, Violation{Rule: r.name, Detail: example, Intent: -1})
		}, r.sql+` LIMIT 5`, args)
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// each calls do for each row of a query, after it has scanned the row.
func each(ctx context.Context, conn *pgx.Conn, what string, scan []any, do func(), sql string, args ...any) error {
	rows, _ := conn.Query(ctx, sql, args...) // the rows have its error
	if _, err := pgx.ForEachRow(rows, scan, func() error { do(); return nil }); err != nil {
		return fmt.Errorf("read %s: %w", what, err)
	}
	return nil
}

// stillBroken waits until the rules hold. Rules that are broken at the end are violations.
func stillBroken(ctx context.Context, conn *pgx.Conn, rules []rule) ([]Violation, error) {
	deadline, cancel := context.WithTimeout(ctx, settling)
	defer cancel()
	for {
		found, err := broken(ctx, conn, rules, nil)
		if err != nil || len(found) == 0 || deadline.Err() != nil {
			return found, err
		}
		Pause(deadline, 50*time.Millisecond)
	}
}
