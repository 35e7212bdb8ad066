package torture

// scheduleRules are about schedules and their invoices.
func scheduleRules() []rule {
	return []rule{
		{"one invoice for each period of a schedule", `
			SELECT format('schedule %s: %s times %s', schedule_id, count(*), period)
			FROM schedule_periods GROUP BY tenant_id, schedule_id, period HAVING count(*) > 1`},
		{"no period is left out", `
			SELECT format('schedule %s: next is %s, and %s was not billed', s.id, next_day, day::date)
			FROM schedules s JOIN schedule_clocks c ON c.tenant_id = s.tenant_id AND c.schedule_id = s.id,
				generate_series(first_day, next_day - 1, every * interval '1 week') AS day
			WHERE unit = 'week' AND missed = 'each' AND NOT EXISTS (
				SELECT FROM schedule_periods p WHERE p.tenant_id = s.tenant_id AND p.schedule_id = s.id AND p.period = day)`},
		{"a period is billed as its schedule was then", `
			SELECT format('invoice %s of %s: %s, dated %s, notes %s, not %s', i.id, p.period, i.status, i.issue_date, i.notes, said.notes)
			FROM schedule_periods p JOIN schedules s ON s.tenant_id = p.tenant_id AND s.id = p.schedule_id
			JOIN invoices i ON i.tenant_id = p.tenant_id AND i.id = p.id
			JOIN intents b ON b.tenant_id = p.tenant_id AND b.record_id = p.id AND b.operation LIKE 'schedule.bill%'
				AND b.outcome = 'created',
				LATERAL (SELECT COALESCE((
					SELECT changes->'notes'->>0 FROM intents e
					WHERE e.tenant_id = s.tenant_id AND e.record_id = s.id AND e.operation = 'schedule.edit' AND changes ? 'notes'
						AND e.at > b.at
					ORDER BY e.at LIMIT 1), s.notes) AS notes) AS said
			WHERE (i.issue_date, i.notes, i.issued_at IS NOT NULL) <> (p.period, said.notes, s.bill_as = 'issued')`},
		{"a schedule is not billed while it is paused", `
			SELECT format('schedule %s: %s', schedule_id, period)
			FROM schedule_periods p
			JOIN intents b ON b.tenant_id = p.tenant_id AND b.record_id = p.id AND b.operation LIKE 'schedule.bill%'
				AND b.outcome = 'created'
			WHERE 'schedule.pause' = (
				SELECT operation FROM intents t
				WHERE t.tenant_id = p.tenant_id AND t.record_id = p.schedule_id AND t.operation IN ('schedule.pause', 'schedule.resume')
					AND t.outcome = 'changed' AND t.at < b.at
				ORDER BY t.at DESC LIMIT 1)`},
	}
}
