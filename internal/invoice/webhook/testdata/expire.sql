-- Written by: make sql

-- bodies of old events

SELECT set_config('onlyonce.tenant_id', $1::text, true);

DELETE FROM webhook_bodies
WHERE tenant_id = $1 AND ctid = ANY (ARRAY(
		SELECT ctid FROM webhook_bodies
		WHERE tenant_id = $1 AND created_at < $2
		ORDER BY created_at LIMIT $3
		FOR UPDATE SKIP LOCKED));
