-- Written by: make sql

-- tenants

SELECT id, name, demo, sign_up_id IS NOT NULL, created_at,
(SELECT count(*) FROM (SELECT FROM users WHERE tenant_id = page.id AND id > $1 LIMIT $2) AS counted)
FROM (
	SELECT id, name, demo, sign_up_id, created_at FROM tenants
	WHERE (created_at, id) < ($3, $4)
	ORDER BY created_at DESC, id DESC LIMIT 201) AS page
ORDER BY created_at DESC, id DESC LIMIT $5;

-- users

SELECT u.id, u.email, u.name, (SELECT name FROM tenants WHERE id = u.tenant_id), u.role, u.disabled_at IS NOT NULL,
COALESCE((
		SELECT true FROM installation_admins AS a
		WHERE a.tenant_id = u.tenant_id AND a.user_id = u.id AND a.generation = u.session_generation), false),
(SELECT seen_at FROM sessions AS s
	WHERE s.tenant_id = u.tenant_id AND s.user_id = u.id AND s.generation = u.session_generation
	ORDER BY s.id DESC LIMIT 1)
FROM (
	SELECT tenant_id, id, email, name, role, disabled_at, session_generation FROM users
	WHERE email > $1 AND email >= $2 AND email < $3
	ORDER BY email ASC LIMIT 201) AS u
ORDER BY u.email ASC LIMIT $4;

-- jobs

SELECT id, kind, state::text, attempt, max_attempts, scheduled_at,
COALESCE(left(split_part(errors[cardinality(errors)]->>'error', E'\n', 1), 200), ''),
COALESCE((
		SELECT name FROM tenants
		WHERE tenants.id =
		CASE WHEN args->>'tenant' ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN (args->>'tenant')::uuid END), ''),
queue, priority
FROM unnest(ARRAY['retryable', 'discarded', 'cancelled']::river.river_job_state[]) AS s (wanted) CROSS JOIN LATERAL (
	SELECT id, kind, state, attempt, max_attempts, scheduled_at, errors, args, queue, priority
	FROM river.river_job WHERE state = s.wanted AND true ORDER BY queue DESC, priority DESC, scheduled_at DESC, id DESC LIMIT 201) AS j ORDER BY queue DESC, priority DESC, scheduled_at DESC, id DESC LIMIT $1;
