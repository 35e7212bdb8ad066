package command

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/postgres/server"
	"onlyonce/internal/value/secretkey"
)

// TestBackupAndRestore runs the commands of docs/deploy.md, and repeats keys from before and after the backup.
func TestBackupAndRestore(t *testing.T) {
	pgtest.Long(t)
	b := setup(t)
	b.Spoil(t) // the dump has the app's database only
	b.want(done, "", "tenant", "create", "Acme Studio")
	token := strings.TrimSpace(b.want(done, "", "token", "create", "sync", "--tenant", "Acme Studio"))
	at, _ := b.serve()
	_, first := b.customer(at, token, "before")
	// Attempts are written in batches outside of the transaction, so this one is stored a moment after its answer.
	var counts string
	must.Until(b, "kept the attempt", func() bool {
		counts = b.rows()
		return strings.Contains(counts, "\nattempts|{1}\n")
	})
	sh := b.shell()
	out, err := sh(`pg_dump --file=/dev/null "$URL"`).CombinedOutput()
	assert.Thatf(t, err != nil && strings.Contains(string(out), "row-level security"), "the app's role can dump: %v, %s", err, out)
	b.mustRun(sh(commandsBelow(t, "## Back up")))
	lost, _ := b.customer(at, token, "after")
	lostInvoice := b.invoice(at, token, "lost", "")

	b.mustRun(sh(commandsBelow(t, "## Restore")))
	t.Cleanup(func() { b.mustRun(sh(`dropdb --force --maintenance-db="$ADMIN_URL" onlyonce_restored`)) })
	restored := &bundle{t, &pgtest.Database{URL: inDatabase(t, b.URL), AdminURL: inDatabase(t, b.AdminURL)}}
	got := restored.rows()
	assert.Thatf(t, got == counts, "restored\n%s\nof\n%s", got, counts)
	// The app may do there what migrations do, and not change the audit.
	out, err = sh(`psql --command="UPDATE intents SET actor = 'x'" "$RESTORED_APP_URL"`).CombinedOutput()
	assert.Thatf(t, err != nil && strings.Contains(string(out), "permission denied"), "the app can change the audit: %v, %s", err, out)
	b.mustRun(sh(`psql --set=ON_ERROR_STOP=1 "$RESTORED_APP_URL" \
		--command="CREATE TABLE added ()" --command="DROP TABLE added" --command="CREATE SCHEMA added" --command="DROP SCHEMA added"`))
	restored.want(done, "", "doctor")
	at, _ = restored.serve()
	_, again := restored.customer(at, token, "before")
	assert.Thatf(t, again == first, "a key from before the backup: %s\nwant %s", again, first)
	once, _ := restored.customer(at, token, "after")
	twice, _ := restored.customer(at, token, "after")
	assert.Thatf(t, once != lost && once == twice, "lost %v, then %v and %v", lost, once, twice)
	restored.entersAgain(at, token, lostInvoice)
}

// TestBackupWithoutSuperuser runs the commands of docs/deploy.md as the app's role, and restores as another one.
func TestBackupWithoutSuperuser(t *testing.T) {
	pgtest.Long(t)
	b := setup(t)
	b.Spoil(t) // the row-level security of its tables changes
	b.want(done, "", "tenant", "create", "Acme Studio")
	b.want(done, "", "token", "create", "sync", "--tenant", "Acme Studio")
	sh := b.shell()
	b.mustRun(sh(commandsBelow(t, "### Back up without a superuser")))
	b.want(done, "", "doctor")

	b.restoresAs("accountant", b.Database, sh)
}

// TestManagedServer runs the commands of docs/managed.md as an administrator who isn't a superuser.
func TestManagedServer(t *testing.T) {
	b := setup(t)
	b.Spoil(t) // another database is created beside it
	const name = "onlyonce_managed"
	must.Exec(t, b.Admin(), "CREATE ROLE administrator LOGIN CREATEDB CREATEROLE")
	t.Cleanup(func() {
		b.all(b.Database, "DROP DATABASE "+name+" WITH (FORCE)", "DROP ROLE "+name, "DROP ROLE administrator")
	})
	create := b.shell()(strings.ReplaceAll(commandsBelow(t, "## Role and database"), "onlyonce", name))
	create.Env = append(create.Env, "ADMIN_URL="+as(t, b.URL, "administrator", "postgres"))
	b.mustRun(create)
	managed := &bundle{t, &pgtest.Database{URL: as(t, b.URL, name, name)}}
	managed.want(done, "", "migrate")
	managed.want(done, "", "doctor")

	must.Exec(t, b.Admin(), "ALTER ROLE administrator BYPASSRLS")
	backup := b.shell()(commandsBelow(t, "## Back up"))
	backup.Env = append(backup.Env, "ADMIN_URL="+as(t, b.URL, "administrator", name))
	b.mustRun(backup)
}

// TestOutOfTheEmbeddedDatabase backs up the embedded database while it runs, and restores it on another server.
func TestOutOfTheEmbeddedDatabase(t *testing.T) {
	pgtest.Long(t)
	other := setup(t)
	other.Spoil(t) // another database is created beside it
	dir := pgtest.Home(t)
	embedded, b := inEmbedded(t, dir)
	for _, dir := range []string{dir, os.DevNull + "/none"} {
		_, _, said := ran(t, map[string]string{"DATA_DIR": dir}, "migrate")
		assert.Thatf(t, strings.Contains(said, "DATABASE_URL is not set"), "%s: %q", dir, said)
	}
	b.want(done, "", "migrate")
	b.want(done, "", "tenant", "create", "Acme Studio")
	sh := b.shell()
	b.mustRun(sh(commandsBelow(t, "## Back up")))
	b.restoresAs("mover", other.Database, sh)

	_, back := inEmbedded(t, pgtest.Home(t))
	back.want(done, "", "migrate")
	into := sh(commandsBelow(t, "### Into an embedded PostgreSQL"))
	into.Env = append(into.Env, "EMBEDDED_URL="+strings.Replace(back.AdminURL, "/onlyonce?", "/postgres?", 1),
		"RESTORED_URL="+inDatabase(t, back.AdminURL))
	b.mustRun(into)
	back.want(done, "", "doctor")
	if got, want := back.rows(), b.rows(); got != want {
		t.Errorf("restored\n%s\nof\n%s", got, want)
	}

	made, err := embedded.SecretKey()
	must.OK(t, err)
	setting, err := secretkey.Parse(strings.TrimSpace(must.Read(t, filepath.Join(dir, "secret.key"))))
	assert.Thatf(t, err == nil && setting == made, "secret.key is no SECRET_KEY: %v", err)
}

// inEmbedded returns an embedded server on a directory, which stops when the test ends, and runs commands on its database.
func inEmbedded(t *testing.T, dir string) (*postgres.Embedded, *bundle) {
	t.Helper()
	embedded, err := postgres.StartEmbedded(t.Context(), dir, slog.New(slog.NewTextHandler(t.Output(), nil)))
	must.OK(t, err)
	t.Cleanup(func() { must.OK(t, embedded.Stop(context.Background())) })
	admin, err := url.Parse(embedded.URL())
	must.OK(t, err)
	admin.User = url.User(server.Superuser)
	return embedded, &bundle{t, &pgtest.Database{URL: embedded.URL(), AdminURL: admin.String()}}
}

// restoresAs restores the backup in the directory of sh into a database of a new role, beside another database, and compares the rows.
func (b *bundle) restoresAs(role string, beside *pgtest.Database, sh func(string) *exec.Cmd) {
	b.Helper()
	name := "onlyonce_" + role
	b.all(beside, "CREATE ROLE "+role+" LOGIN", "CREATE DATABASE "+name+" OWNER "+role)
	b.Cleanup(func() { b.all(beside, "DROP DATABASE "+name+" WITH (FORCE)", "DROP ROLE "+role) })
	of := func(role string) string { return as(b.T, beside.URL, role, name) }
	restore := sh(commandsBelow(b.T, "### Restore as another role"))
	restore.Env = append(restore.Env, "NEW_URL="+of(role))
	b.mustRun(restore)
	restored := &bundle{b.T, &pgtest.Database{URL: of(role), AdminURL: of(server.Superuser)}}
	if got, want := restored.rows(), b.rows(); got != want || !strings.Contains(got, "\ntenants|{1}\n") {
		b.Errorf("restored\n%s\nof\n%s", got, want)
	}
	out := restored.want(done, "", "doctor")
	assert.Thatf(b, strings.Contains(out, "all is as the migrations made it"), "%v", out)
}

// all runs statements as the superuser, also when the test has ended.
func (b *bundle) all(on *pgtest.Database, statements ...string) {
	b.Helper()
	for _, sql := range statements {
		_, err := on.Admin().Exec(context.Background(), sql)
		must.OK(b, err)
	}
}

// customer creates a customer whose key is the local part of the email, and returns the id and the answer.
func (b *bundle) customer(at, token, key string) (id, body string) {
	b.Helper()
	r := b.request(http.MethodPost, at+"/api/v1/customers", "application/json", token, `{"email": "`+key+`@example.com", "name": "Bob"}`)
	r.Header.Set("Idempotency-Key", key)
	status, body := b.do(http.DefaultClient, r)
	var made struct {
		ID string `json:"id"`
	}
	err := json.Unmarshal([]byte(body), &made)
	assert.Thatf(b, err == nil && status == http.StatusCreated, "%s: %d %s", key, status, body)
	return made.ID, body
}

func (b *bundle) rows() string {
	b.Helper()
	cmd := b.shell()(`psql --no-align --tuples-only "$URL" --command="
		SELECT table_name, xpath('/row/n/text()', query_to_xml(format('SELECT count(*) AS n FROM %I', table_name), false, true, ''))
		FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1"`)
	cmd.Env = append(cmd.Env, "URL="+b.AdminURL)
	return b.mustRun(cmd)
}

// shell returns a function that runs commands of a document in a new directory.
func (b *bundle) shell() func(commands string) *exec.Cmd {
	b.Helper()
	account, err := server.ChooseAccount("")
	must.OK(b, err)
	programs, err := server.Locate(b.Context(), account, 0)
	must.OK(b, err)
	env := append(os.Environ(), "PATH="+programs.Dir+":"+os.Getenv("PATH"), "URL="+b.URL, "DATABASE_URL="+b.URL, "ADMIN_URL="+b.AdminURL,
		"RESTORED_URL="+inDatabase(b.T, b.AdminURL), "RESTORED_APP_URL="+inDatabase(b.T, b.URL))
	dir := b.TempDir()
	return func(commands string) *exec.Cmd {
		cmd := exec.Command("sh", "-euc", commands)
		cmd.Dir, cmd.Env = dir, env
		return cmd
	}
}

func (b *bundle) mustRun(cmd *exec.Cmd) string {
	b.Helper()
	out, err := cmd.CombinedOutput()
	must.Thatf(b, err == nil, "%s: %v (the programs of a PostgreSQL client are needed)\n%s", cmd.Args, err, out)
	return string(out)
}

// as returns an address with another role and database.
func as(t *testing.T, address, role, database string) string {
	t.Helper()
	u, err := url.Parse(address)
	must.OK(t, err)
	u.User, u.Path = url.User(role), "/"+database
	return u.String()
}

// inDatabase returns the address with the restored database.
func inDatabase(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	must.OK(t, err)
	u.Path = "/onlyonce_restored"
	return u.String()
}

// commandsBelow returns the first shell commands below a heading of docs/deploy.md, docs/managed.md or docs/gdpr.md.
func commandsBelow(t *testing.T, heading string) string {
	t.Helper()
	page := must.Read(t, "../../docs/deploy.md") + must.Read(t, "../../docs/managed.md") + must.Read(t, "../../docs/gdpr.md")
	found := regexp.MustCompile("(?s)\n" + heading + "\n.*?```sh\n(.*?)```").FindStringSubmatch(page)
	must.Thatf(t, found != nil, "no commands below %q", heading)
	return found[1]
}
