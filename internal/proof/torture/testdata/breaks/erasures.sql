-- What breaks each rule and no other, in the database of erasedRecords.

-- rule: a customer is erased once
DELETE FROM intent_effects WHERE effect = 'personal data erased';
UPDATE customers SET version = version - 1 WHERE erased_at IS NOT NULL;

-- rule: a customer is erased once
ALTER TABLE customer_erasures DROP CONSTRAINT erasures_customer_once;
INSERT INTO customer_erasures (tenant_id, id, customer_id, reason)
SELECT tenant_id, gen_random_uuid(), customer_id, '' FROM customer_erasures;
INSERT INTO intents
SELECT o.tenant_id, operation, 'again', fingerprint, attempt_id, e.id, 'created', actor, at, changes, NULL, expires_at
FROM intents o, customer_erasures e WHERE operation = 'customer.erase' AND record_id <> e.id;

-- rule: one intent for each creation
UPDATE intents SET outcome = 'reused' WHERE operation = 'customer.erase';

-- rule: no intent without its record
INSERT INTO intents
SELECT tenant_id, operation, 'stranger', fingerprint, attempt_id, gen_random_uuid(), 'reused', actor, at, changes, NULL, expires_at
FROM intents WHERE key = 'erase';

-- rule: nothing is done for an erased customer
UPDATE schedules SET archived_at = NULL;

-- rule: nothing is done for an erased customer
UPDATE intents SET at = now() + interval '1 hour' WHERE key = 'edit';

-- rule: an erased customer has left no text
UPDATE 
intents SET changes = changes || '{"name": ["Of programxerasex0x1x1@example.com", "Erased customer"]}' WHERE key = 'edit';

-- rule: an erased customer has left no text
UPDATE invoice_lines SET description = 'Of programxerasex0x1x1@example.com' WHERE description = 'Erased';

-- rule: an erased customer has left no text
UPDATE intents SET actor = 'Of programxerasex0x1x1@example.com';

-- rule: an erased customer has left no text
INSERT INTO customer_words (tenant_id, word, customer_id)
SELECT tenant_id, 'programxerasex0x1x1', id FROM customers WHERE erased_at IS NOT NULL;

-- rule: a version for each change
UPDATE schedules SET version = version - 1;

-- rule: a transition changes what was not so
UPDATE intents SET changes = changes - 'archived_at' WHERE key = 'archive';
