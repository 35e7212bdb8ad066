-- Written by: make sql

-- old sign-ups

begin;

SELECT set_config('onlyonce.tenant_id', $1::text, true);

DELETE FROM sign_ups WHERE tenant_id = $1 AND id < new_id(now() - $2::interval);

commit;
