-- What breaks each rule and no other, in the database of fileRecords.

-- rule: a file is attached once
DROP INDEX attachments_once;
UPDATE attachments SET file_digest = (SELECT file_digest FROM attachments LIMIT 1);

-- rule: every attachment has its content
ALTER TABLE file_contents DROP CONSTRAINT file_contents_digest;
UPDATE file_contents SET content = 'other' WHERE content = 'c';

-- rule: one intent for each creation
UPDATE intents SET outcome = 'reused' WHERE operation = 'attachment.create' AND key = 'a';

-- rule: a file is removed once
DELETE FROM intent_effects WHERE effect = 'attachment removed';

-- rule: a file is removed once
UPDATE attachments SET removed_at = now() WHERE removed_at IS NULL;

-- rule: each change begins where another one ended
UPDATE attachments SET removed_at = removed_at + interval '1 second';

-- rule: a version for each change
UPDATE attachments SET version = 1;

-- rule: a business has one logo
ALTER TABLE logos DROP CONSTRAINT logos_one;
UPDATE logos SET removed_at = NULL, version = 1;
DELETE FROM intent_effects WHERE operation = 'logo.create';
UPDATE intents SET outcome = 'unchanged', changes = NULL WHERE operation = 'logo.remove';

-- rule: a logo is removed or replaced once
UPDATE logos SET removed_at = now() WHERE removed_at IS NULL;

-- rule: a version for each change
DELETE FROM intent_effects WHERE effect = 'replaced';

-- rule: every logo has its content
DELETE FROM file_contents WHERE digest = (SELECT file_digest FROM logos WHERE file_name = 'last.png');

-- rule: every logo has its content
UPDATE invoices SET seller = jsonb_set(seller::jsonb, '{logo, sha256}', '"00"');

-- rule: one intent for each creation
UPDATE intents SET outcome = 'reused' WHERE key = 'last';

-- rule: no intent without its record
INSERT INTO intents
SELECT tenant_id, operation, 'stranger', fingerprint, attempt_id, gen_random_uuid(), 'reused', actor, at, changes, NULL, expires_at
FROM intents WHERE key = 'last';
