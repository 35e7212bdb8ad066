-- What was done stays as it was written: the app adds intents and effects, erases results, and can do nothing else to them.
-- It owns the tables, and so could give itself the right to do more; no statement of it does. Whoever has to delete some,
-- such as all of a tenant, gives the owner that right first: the foreign key between the two is looked after by the owner.

-- +goose Up
REVOKE UPDATE, DELETE, TRUNCATE ON intents, intent_effects FROM CURRENT_USER;
GRANT UPDATE (result) ON intents TO CURRENT_USER;

-- +goose Down
REVOKE UPDATE (result) ON intents FROM CURRENT_USER;
GRANT UPDATE, DELETE, TRUNCATE ON intents, intent_effects TO CURRENT_USER;
