-- Written by: make sql

-- old attempts

SELECT set_config('onlyonce.tenant_id', $1::text, true);

DELETE FROM attempts WHERE tenant_id = $1 AND ctid = ANY (ARRAY(
		SELECT ctid FROM (
			SELECT ctid, id, place FROM attempts WHERE tenant_id = $1 AND id < $2 ORDER BY id LIMIT $3) AS oldest
		WHERE id < $4 OR place <= $5::bigint + (
			SELECT place FROM attempts WHERE tenant_id = $1 AND id < $2 ORDER BY id DESC LIMIT 1)));
