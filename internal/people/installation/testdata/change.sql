-- Written by: make sql

-- retry a job

begin;

SELECT FROM river.river_job
WHERE id = $1 AND attempt = $2 AND state IN ('retryable', 'discarded') FOR UPDATE;

commit;
