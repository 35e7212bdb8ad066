-- What breaks each rule and no other, in the database of someRecords.

-- rule: none
UPDATE intents SET changes = changes || '{"overdue": [false, true]}' WHERE key = 'issue';

-- rule: no number twice
ALTER TABLE invoices DROP CONSTRAINT invoices_number_once_per_year;
UPDATE invoices SET number = '2026-0001' WHERE number LIKE '2026-%';
UPDATE invoice_number_runs SET last = 1;

-- rule: no gap in a run of numbers
UPDATE invoice_number_runs SET last = 4;

-- rule: no number of a series outside of its runs
UPDATE invoice_number_runs SET last = 1;

-- rule: every line is quantity times price, less the discount
ALTER DOMAIN valid_invoice_line DROP CONSTRAINT invoice_lines_net;
UPDATE invoice_lines SET quantity = quantity + 1
WHERE position = 1 AND invoice_id IN (SELECT id FROM invoices WHERE status = 'draft');

-- rule: the lines add up to the header
UPDATE invoices SET subtotal = subtotal + 1, total = total + 1 WHERE number = '2026-0001';

-- rule: the lines add up to the header
DELETE FROM invoice_lines
WHERE position = 1 AND invoice_id IN (SELECT id FROM invoices WHERE status = 'draft');

-- rule: no customer twice
DROP INDEX customers_email_once;
INSERT INTO customers (tenant_id, id, email, name)
SELECT tenant_id, '00000000-0000-4000-8000-000000000001', upper(email), name FROM customers;
INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
SELECT tenant_id, '00000000-0000-4000-8000-000000000001', operation, key, effect FROM intent_effects
WHERE effect = 'customer created';

-- rule: one event for each intent since the feed was started
UPDATE tenants SET events_since = '2000-01-01';

-- rule: events are in the order of the changes of their record
INSERT INTO events (tenant_id, operation, key)
SELECT tenant_id, operation, key FROM intents WHERE outcome = 'changed' ORDER BY at DESC;

-- rule: no intent twice
ALTER TABLE intent_effects DROP CONSTRAINT intent_effects_intent;
ALTER TABLE events DROP CONSTRAINT events_intent;
ALTER TABLE intents DROP CONSTRAINT intents_pkey;
INSERT INTO intents
SELECT tenant_id, operation, key, fingerprint, attempt_id, record_id, 'reused', actor, at, changes, result, expires_at
FROM intents WHERE outcome = 'created';

-- rule: no intent without its record
UPDATE intents SET result = '{"id": ""}' WHERE key = 'k1';

-- rule: no intent without its record
UPDATE intents SET record_id = '00000000-0000-4000-8000-000000000001', outcome = 'reused', result = NULL WHERE key = 'k2';
DELETE FROM invoice_lines WHERE invoice_id IN (SELECT id FROM invoices WHERE number = '2026-0002');
DELETE FROM invoices WHERE number = '2026-0002';
UPDATE invoice_number_runs SET last = 1;

-- rule: one intent for each creation
DELETE FROM intents WHERE key = 'k2';

-- rule: one intent for each creation
UPDATE intents SET outcome = 'reused' WHERE outcome = 'created';

-- rule: one intent for each creation
DELETE FROM intent_effects WHERE effect = 'customer created';

-- rule: a version for each change
UPDATE intents SET outcome = 'unchanged', changes = NULL WHERE key = 'k5';

-- rule: a version for each change
INSERT INTO intents
SELECT tenant_id, operation, 'again', fingerprint, attempt_id, record_id, outcome, actor, at, '{}', result, expires_at
FROM intents WHERE key = 'k3';

-- rule: a version for each change
UPDATE customers SET version = version + 1;

-- rule: a version for each change
UPDATE invoices SET version = version + 1 WHERE number = '2026-0001';

-- rule: what was changed is said
UPDATE intents SET changes = NULL WHERE key = 'k3';

-- rule: what was changed is said
UPDATE intents SET changes = '{}' WHERE key = 'k6';

-- rule: each change begins where another one ended
UPDATE intents SET changes = '{"name": ["Ada", "Ada Byron"]}' WHERE key = 'k4';

-- rule: each change begins where another one ended
UPDATE customers SET name = 'Ada King';

-- rule: each change begins where another one ended
UPDATE intents SET changes = '{"notes": ["", "another"]}' WHERE key = 'issue';

-- rule: a version for each change
UPDATE payments SET version = 2 WHERE reference = 'R-1';

-- rule: a version for each change
UPDATE invoices SET version = version - 1 WHERE paid > 0;

-- rule: one intent for each creation
DELETE FROM intents WHERE key = 'half';

-- rule: no intent without its record
DELETE FROM postings USING payments WHERE id = source_id AND reference = 'R-1';
UPDATE invoices SET paid = paid - p.amount, version = invoices.version - 1
FROM payments p WHERE p.invoice_id = invoices.id AND reference = 'R-1';
DELETE FROM payments WHERE reference = 'R-1';
DELETE FROM payment_references;
UPDATE intents SET outcome = 'reused' WHERE key = 'half';

-- rule: what is paid is the sum of the payments and refunds, and of their postings
UPDATE invoices SET paid = paid + 1 WHERE paid > 0;

-- rule: the sums are those of the invoices and payments
DELETE FROM standing WHERE kind = 'paid_month';

-- rule: the sums are those of the invoices and payments
UPDATE standing SET amount = amount + 1;

-- rule: the accounts of customers have the entries of the books
DELETE FROM account_entries WHERE kind = 'refund';

-- rule: the accounts of customers have the entries of the books
UPDATE account_entries SET customer_id = tenant_id;

-- rule: the tax of each issued, voided and credited amount is entered once
UPDATE invoice_taxes SET tax = tax + 1 WHERE kind = 'invoice';

-- rule: the tax of each issued, voided and credited amount is entered once
DELETE FROM invoice_taxes WHERE kind = 'credit';
UPDATE invoice_taxes SET credited_net = 0, credited_tax = 0;

-- rule: no more is paid, credited and written off than the total
ALTER DOMAIN minor_units DROP CONSTRAINT minor_units_check;
UPDATE invoices SET paid = paid + 100000 WHERE paid > 0;
UPDATE postings SET amount = amount + 100000 WHERE source_id = (SELECT id FROM payments WHERE reference = 'R-1');
UPDATE payments SET amount = amount + 100000 WHERE reference = 'R-1';

-- rule: each payment, removal of one, refund, credit note, write-off and reversal of one is posted once
UPDATE postings SET source_id = gen_random_uuid() WHERE source_id = (SELECT id FROM payments WHERE reference = 'R-1');

-- rule: only what is issued is paid, credited or written off
UPDATE invoices SET status = 'draft', issued_at = NULL, bill_to = NULL, seller = NULL WHERE paid > 0;
UPDATE intents SET outcome = 'unchanged', changes = NULL WHERE key = 'issue';
UPDATE invoices SET version = version - 1 WHERE paid > 0;

-- rule: no reference twice
DROP INDEX payments_reference_once;
UPDATE payments SET reference = 'R-1', provider = 'Bank';

-- rule: only what is issued is paid, credited or written off
UPDATE invoices SET status = 'void', voided_at = now(), version = version + 1 WHERE paid > 0;
INSERT INTO intents
SELECT tenant_id, 'invoice.void', 'again', fingerprint, attempt_id, record_id, outcome, actor, at, '{}', result, expires_at
FROM intents WHERE key = 'issue';

-- rule: no intent without its record
INSERT INTO intents
SELECT tenant_id, operation, 'stranger', fingerprint, attempt_id, gen_random_uuid(), 'reused', actor, at, changes, NULL, expires_at
FROM intents WHERE key = 'back';

-- rule: no intent without its record
INSERT INTO intents
SELECT tenant_id, operation, 'stranger', fingerprint, attempt_id, gen_random_uuid(), 'reused', actor, at, changes, NULL, expires_at
FROM intents WHERE key = 'credit';

-- rule: one intent for each creation
DELETE FROM intents WHERE key = 'back';

-- rule: one intent for each creation
DELETE FROM intents WHERE key = 'credit';

-- rule: a version for each change
UPDATE payments SET version = 1;

-- rule: a version for each change
UPDATE refunds SET version = 2;

-- rule: a version for each change
UPDATE credit_notes SET version = 2;

-- rule: what is refunded of a payment is the sum of its refunds
UPDATE payments SET refunded = refunded + 1;

-- rule: what is credited is the sum of the credit notes, and of their postings
UPDATE invoices SET credited = credited + 1 WHERE credited > 0;

-- rule: no more is refunded than was paid
ALTER DOMAIN minor_units DROP CONSTRAINT minor_units_check;
UPDATE refunds SET amount = amount + 100;
UPDATE payments SET refunded = refunded + 100 WHERE refunded > 0;
UPDATE postings SET amount = amount - 100 WHERE kind = 'refund';
UPDATE invoices SET paid = paid - 100 WHERE paid > 0;

-- rule: each payment, removal of one, refund, credit note, write-off and reversal of one is posted once
UPDATE postings SET kind = 'payment' WHERE kind = 'refund';

-- rule: each payment, removal of one, refund, credit note, write-off and reversal of one is posted once
UPDATE postings SET source_id = gen_random_uuid() WHERE kind = 'credit';

-- rule: no number of a credit note twice
ALTER TABLE credit_notes DROP CONSTRAINT credit_notes_number_once;
UPDATE credit_notes SET number = (SELECT min(number) FROM credit_notes);
UPDATE credit_note_series SET last = 1;

-- rule: the numbers of credit notes are consecutive
UPDATE credit_note_series SET last = last + 1;

-- rule: the numbers of credit notes are consecutive
UPDATE credit_note_series SET last = last - 1;

-- rule: no more is credited of a line than it bills
UPDATE credit_note_lines SET quantity = 2 WHERE position = 3;

-- rule: the lines add up to the credit note
UPDATE credit_notes SET subtotal = subtotal + 1;

-- rule: the sums of what is credited of lines and rates are those of the credit notes
UPDATE credit_note_lines SET net_credited = net_credited - 1 WHERE position = 3;

-- rule: the sums of what is credited of lines and rates are those of the credit notes
UPDATE invoice_taxes SET credited_tax = credited_tax + 1 WHERE kind = 'invoice' AND credited_tax > 0;

-- rule: the parts that are credited add up to what would be credited at once
UPDATE credit_note_lines l SET net = net + CASE position WHEN 1 THEN -1 ELSE 1 END,
    net_credited = net_credited + CASE position WHEN 1 THEN -1 ELSE 1 END
WHERE EXISTS (SELECT FROM credit_note_lines o WHERE o.credit_note_id = l.credit_note_id AND position = 3);

-- rule: the parts that are credited add up to what would be credited at once
UPDATE credit_notes SET subtotal = subtotal - 1, tax_total = tax_total + 1;
UPDATE credit_note_lines SET net = net - 1, net_credited = net_credited - 1 WHERE position < 3;

-- rule: each state of an invoice was made once
UPDATE invoices SET bill_to = NULL WHERE paid > 0;

-- rule: each state of an invoice was made once
UPDATE invoices SET status = 'draft' WHERE status = 'void';
UPDATE intents SET changes = changes - 'voided_at' WHERE key = 'void';

-- rule: an issued invoice has its mail, and one for each that was sent again
SET session_replication_role = origin;
INSERT INTO mails (tenant_id, id, invoice_id) SELECT tenant_id, gen_random_uuid(), invoice_id FROM mails;

-- rule: an issued invoice has its mail, and one for each that was sent again
DELETE FROM mails WHERE id NOT IN (SELECT record_id FROM intents);

-- rule: a mail that was sent again is said of its invoice
UPDATE intent_effects SET key = 'another' WHERE operation = 'mail.send';

-- rule: an issued invoice names the business as it was once called
UPDATE settings SET name = 'Somebody else';

-- rule: a queued mail has its job
DELETE FROM river.river_job;

-- rule: a queued mail has its job
UPDATE river.river_job SET state = 'completed', finalized_at = now();

-- rule: what was issued does not change
UPDATE intents SET at = now() + interval '1 hour' WHERE key = 'redraft';

-- rule: a transition changes what was not so
UPDATE customers SET archived_at = NULL;
UPDATE intents SET changes = '{"archived_at": ["2026-11-21T00:00:00+00:00", null]}' WHERE key = 'k5';
