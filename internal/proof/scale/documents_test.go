package scale

import (
	"testing"

	"onlyonce/internal/must"
	"onlyonce/internal/postgres/server"
)

// TestDocuments checks that the documentation has the commands and settings of the proofs, and the texts that they replace.
func TestDocuments(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	account, err := server.ChooseAccount("")
	must.OK(t, err)
	must.OK(t, new(cluster).lay(ctx, t.TempDir(), account, 0, true))
	for _, c := range []struct {
		document, heading, language string
		replaced                    []string
	}{
		{"deploy.md", "## First deploy", "sql", nil},
		{"deploy.md", "## Behind a proxy", "nginx", nginxReplaced("", "")},
		{"deploy.md", "### Archive the log", "ini", new(backup).replaced()},
		{"deploy.md", "### Archive the log", "sh", new(backup).replaced()},
		{"deploy.md", "### Restore a moment", "sh", new(backup).replaced()},
		{"upgrade.md", "### Copy the rows", "sh", nil},
		{"upgrade.md", "### Switch", "sh", []string{"10.0.0.11", "", "10.0.0.12", "", "/etc/pgbouncer/pgbouncer.ini", ""}},
		{"scale.md", "## A connection pooler", "sql", nil},
		{"deploy/pgbouncer.ini", "", "", []string{"host=10.0.0.11 port=5432", "", "unix_socket_dir = /run/postgresql", ""}},
		{"deploy/haproxy-cells.cfg", "", "", append(new(cells).replaced(), haproxyAccount, "")},
		{"deploy/cell-copy.sh", "", "", nil},
		{"deploy/cell-switch.sh", "", "", new(cells).replaced()},
		{"deploy/cell-end.sh", "", "", nil},
		{"deploy/cell-clear.sh", "", "", []string{"sleep 60", "", "sleep 10", ""}},
	} {
		text, err := document(ctx, c.document)
		if c.heading != "" {
			text, err = block(ctx, c.document, c.heading, c.language)
		}
		if err != nil {
			t.Error(err)
		} else if _, err := place(text, c.replaced...); err != nil {
			t.Errorf("docs/%s, %s: %v", c.document, c.heading, err)
		}
	}
	if _, err := block(ctx, "deploy.md", "## First deploy", "ruby"); err == nil {
		t.Error("found a block that isn't there")
	}
}
