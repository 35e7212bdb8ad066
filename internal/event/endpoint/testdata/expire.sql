-- Written by: make sql

-- old deliveries

SELECT set_config('onlyonce.tenant_id', $1::text, true);

DELETE FROM deliveries
WHERE tenant_id = $1 AND ctid = ANY (ARRAY(
		SELECT ctid FROM deliveries
		WHERE tenant_id = $1 AND id < (SELECT new_id(now() - $2::interval))
		ORDER BY id LIMIT $3
		FOR UPDATE SKIP LOCKED));
