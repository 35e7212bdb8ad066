-- What breaks each rule and no other, in the database of programRecords.

-- rule: a reversal takes back all of its credit note
UPDATE credit_notes SET reverses_id = NULL WHERE total < 0 AND became_credit = 0;

-- rule: no event twice
DROP INDEX webhook_events_once;
UPDATE webhook_events SET event_id = 'paid' WHERE event_id = 'waits';

-- rule: an event did what it asked for, or nothing
DROP INDEX webhook_events_once;
UPDATE webhook_events SET amount = amount + 1 WHERE event_id = 'paid';

-- rule: an event did what it asked for, or nothing
DROP INDEX webhook_events_once;
UPDATE webhook_events SET amount = amount + 1 WHERE event_id = 'back';

-- rule: an event did what it asked for, or nothing
DROP INDEX webhook_events_once;
UPDATE webhook_events SET reference = 'another' WHERE event_id = 'paid';

-- rule: an event did what it asked for, or nothing
DROP INDEX webhook_events_once;
UPDATE webhook_events SET state = 'apart' WHERE event_id = 'waits';

-- rule: no event waits for a payment that is there
DROP INDEX webhook_events_once;
UPDATE webhook_events SET reference = 'P' WHERE event_id = 'waits';

-- rule: no intent without its record
INSERT INTO intents
SELECT tenant_id, operation, 'stranger', fingerprint, attempt_id, gen_random_uuid(), 'reused', actor, at, changes, NULL, expires_at
FROM intents WHERE key = 'merge';

-- rule: one intent for each creation
UPDATE intents SET outcome = 'reused' WHERE operation = 'customer.merge';

-- rule: one intent for each creation
UPDATE intents SET outcome = 'reused' WHERE operation = 'webhook.receive';

-- rule: one intent for each creation
DROP INDEX webhook_events_once;
UPDATE webhook_events SET refund_id = NULL, reason = 'recorded-before' WHERE event_id = 'back';

-- rule: a version for each change
DELETE FROM intent_effects WHERE operation = 'customer.merge';

-- rule: each change begins where another one ended
UPDATE schedules SET paused_at = NULL;

-- rule: one invoice for each period of a schedule
ALTER TABLE schedule_periods DROP CONSTRAINT schedule_periods_once;
UPDATE schedule_clocks SET next_day = (SELECT first_day FROM schedules);
UPDATE schedule_periods SET period = (SELECT first_day FROM schedules);
UPDATE invoices SET issue_date = (SELECT first_day FROM schedules) WHERE id IN (SELECT id FROM schedule_periods);

-- rule: no period is left out
UPDATE schedule_clocks SET next_day = next_day + 7;

-- rule: a period is billed as its schedule was then
UPDATE invoices SET notes = 'Edited' WHERE id IN (SELECT id FROM schedule_periods);

-- rule: a schedule is not billed while it is paused
UPDATE intents SET at = now() - interval '1 hour' WHERE operation = 'schedule.pause';

-- rule: nothing refers to a customer that was merged
UPDATE invoices SET customer_id = (SELECT id FROM customers WHERE merged_into IS NOT NULL);

-- rule: a customer is merged by one merge, and by none that was undone
UPDATE customer_merges SET undone_at = now();

-- rule: one sign-up for an email
UPDATE sign_ups SET email = 'one@example.com';

-- rule: a sign-up begins one business
DELETE FROM users WHERE email = 'one@example.com';

-- rule: a sign-up begins one business
UPDATE tenants SET sign_up_id = gen_random_uuid() WHERE sign_up_id IS NOT NULL;

-- rule: one mail about a sign-up in ten minutes
INSERT INTO sign_up_mails (tenant_id, id, sign_up_id, link_hash)
SELECT tenant_id, gen_random_uuid(), sign_up_id, link_hash FROM sign_up_mails LIMIT 1;

-- rule: one intent for each creation
UPDATE intents SET outcome = 'reused' WHERE operation = 'sign_up.ask';

-- rule: one reminder of each level
ALTER TABLE invoice_reminders DROP CONSTRAINT reminders_once;
UPDATE invoice_reminders SET level = 1;
UPDATE mails SET kind = 'reminder_1' WHERE kind = 'reminder_2';
UPDATE intents SET outcome = 'reused' WHERE operation = 'reminder.send';

-- rule: reminders in order, one a day
UPDATE invoice_reminders SET sent_on = '2026-01-01';

-- rule: reminders in order, one a day
UPDATE invoice_reminders SET level = 3 WHERE level = 2;
UPDATE mails SET kind = 'reminder_3' WHERE kind = 'reminder_2';

-- rule: a reminder has its mail, and a mail of a reminder its reminder
UPDATE mails SET kind = 'reminder_3' WHERE kind = 'reminder_2';

-- rule: one intent for each creation
UPDATE invoice_reminder_outcomes SET outcome = 'sent_before';

-- rule: one intent for each creation
UPDATE intents SET outcome = 'reused' WHERE operation = 'reminder.send';

-- rule: an invoice of a batch was issued or sent as its outcome is
UPDATE invoice_batch_items SET outcome = 'unchanged' WHERE outcome = 'done';

-- rule: a waiting invoice of a batch has the job of its batch
UPDATE invoice_batch_items SET outcome = 'waiting';
DELETE FROM river.river_job WHERE kind = 'invoice_batch';

-- rule: what is written off is the sum of the write-offs, and of their postings
UPDATE invoices SET written_off = 9 WHERE written_off > 0;

-- rule: a write-off is taken back by one intent
UPDATE intents SET operation = 'write_off.create' WHERE operation = 'write_off.reverse';

-- rule: each payment, removal of one, refund, credit note, write-off and reversal of one is posted once
DELETE FROM postings WHERE kind = 'reversal';
UPDATE postings SET amount = 0
WHERE kind = 'write_off' AND source_id IN (SELECT id FROM write_offs WHERE reversed_at IS NOT NULL);

-- rule: only what is issued is paid, credited or written off
UPDATE invoices SET status = 'void', voided_at = now(), version = version + 1 WHERE written_off > 0;
INSERT INTO intents
SELECT tenant_id, 'invoice.void', 'again', fingerprint, attempt_id, record_id, outcome, actor, at, '{}', result, expires_at
FROM intents WHERE key = 'off' AND operation = 'invoice.issue';

-- rule: one intent for each creation
UPDATE intents SET outcome = 'reused' WHERE operation = 'write_off.create';

-- rule: no intent without its record
INSERT INTO intents
SELECT tenant_id, operation, 'stranger', fingerprint, attempt_id, gen_random_uuid(), 'reused', actor, at, changes, NULL, expires_at
FROM intents WHERE key = 'off too';

-- rule: a version for each change
UPDATE write_offs SET version = 3;

-- rule: no external id twice
DROP INDEX customers_external_once;
UPDATE customers SET source = 'shop', external_id = '17', external_digest = sha256('') WHERE erased_at IS NULL;

-- rule: nothing of a closed day is recorded after the closing
UPDATE write_offs SET written_off_on = '2025-01-31', created_at = now() WHERE reversed_at IS NULL;

-- rule: nothing of a closed day is recorded after the closing
UPDATE closings SET through = '2026-11-21', created_at = '2026-01-01' WHERE reopened_at IS NULL;

-- rule: a version for each change
UPDATE closings SET version = 3 WHERE reopened_at IS NOT NULL;

-- rule: what became credit is one receipt
UPDATE receipts SET amount = amount + 1 WHERE credit_note_id IS NOT NULL;

-- rule: what became credit is one receipt
DELETE FROM intent_effects WHERE effect = 'credit of a credit note';
DELETE FROM receipts WHERE credit_note_id IS NOT NULL;

-- rule: a receipt is what pays invoices, what was paid back and what is left
UPDATE receipts SET allocated = allocated + 1 WHERE removed_at IS NULL;

-- rule: a receipt is what pays invoices, what was paid back and what is left
UPDATE repayments SET amount = 1;

-- rule: a refund, a repayment and a receipt are removed by one intent
UPDATE intents SET outcome = 'reused', changes = NULL WHERE operation = 'repayment.remove';
UPDATE repayments SET version = 1;

-- rule: a refund, a repayment and a receipt are removed by one intent
UPDATE intents SET outcome = 'reused', changes = NULL WHERE operation = 'refund.remove';
UPDATE refunds SET version = 1 WHERE removed_at IS NOT NULL;

-- rule: a payment is removed whole, by one intent
DELETE FROM intent_effects WHERE effect = 'removed with its receipt';
UPDATE payments SET version = version - 1 WHERE receipt_id IN (SELECT id FROM receipts WHERE removed_at IS NOT NULL);

-- rule: each payment, removal of one, refund, credit note, write-off and reversal of one is posted once
UPDATE postings SET source_id = gen_random_uuid() WHERE kind = 'removal' AND amount > 0;

-- rule: no reference twice
DELETE FROM payment_references WHERE reference = 'RX 1';

-- rule: no reference twice
ALTER TABLE payments DROP CONSTRAINT payments_referenced_once;
UPDATE payments SET provider = 'bank', reference = 'RX 1' WHERE receipt_id IS NOT NULL AND removed_at IS NULL;

-- rule: one intent for each creation
UPDATE intents SET outcome = 'reused' WHERE operation = 'repayment.create';

-- rule: one intent for each creation
DELETE FROM intent_effects WHERE effect = 'recorded with a receipt';

-- rule: no intent without its record
INSERT INTO intents
SELECT tenant_id, operation, 'stranger ' || key, fingerprint, attempt_id, gen_random_uuid(), 'reused', actor, at, changes, NULL,
    expires_at
FROM intents WHERE operation IN ('receipt.create', 'receipt.apply', 'repayment.create');

-- rule: a version for each change
UPDATE receipts SET version = 9;

-- rule: an import is counted as it was done
UPDATE import_chunks SET created = created + 1, known = known - 1;

-- rule: an import is counted as it was done
DELETE FROM import_problems;

-- rule: an import is counted as it was done
UPDATE import_chunks SET known = known + 1;

-- rule: an unfinished import has its job
UPDATE river.river_job SET finalized_at = now(), state = 'completed' WHERE kind = 'import';

-- rule: customers are taken back with their import
UPDATE customers SET taken_back = false, erased_at = NULL WHERE taken_back;
