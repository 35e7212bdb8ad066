-- Written by: make sql

-- old emails

begin;

SELECT set_config('onlyonce.tenant_id', $1::text, true);

DELETE FROM link_mails WHERE tenant_id = $1 AND id < new_id(now() - $2::interval);

commit;
