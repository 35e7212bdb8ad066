-- Admins of the installation, who see which tenants and users exist and which jobs fail.

-- +goose Up

-- The table is read before a tenant is known, like users. No page or request makes an admin: the app's role can only read the table,
-- and the command grants itself the right to write it for the length of its transaction.
CREATE TABLE installation_admins (
    tenant_id  uuid        NOT NULL,
    user_id    uuid        NOT NULL,
    -- The session_generation of the user at that time. With another email or password, which an owner of the tenant can bring about, the
    -- user is no admin any more.
    generation integer     NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, user_id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users
);
ALTER TABLE installation_admins ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON installation_admins USING (current_tenant() IS NULL OR tenant_id = current_tenant());
REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON installation_admins FROM CURRENT_USER;
-- The foreign key locks rows when an operator deletes a user, which needs the right to update a column.
GRANT UPDATE (created_at) ON installation_admins TO CURRENT_USER;

-- For the list of tenants, newest first.
CREATE INDEX tenants_by_age ON tenants (created_at, id);

-- +goose Down
DROP INDEX tenants_by_age;
DROP TABLE installation_admins;
