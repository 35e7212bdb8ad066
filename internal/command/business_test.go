package command

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"onlyonce/internal/app/apptest"
	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/people/business"
	"onlyonce/internal/postgres/pgtest"
)

// imports runs the command that imports a file, as the superuser.
func (b *bundle) imports(file string, more ...string) (code int, id, said string) {
	b.Helper()
	var stdout, stderr bytes.Buffer
	code = run(b.Context(), append([]string{"tenant", "import", file, "--json"}, more...), b.environ("ADMIN_URL="+b.AdminURL),
		strings.NewReader(""), &stdout, &stderr, apptest.Site())
	var made struct {
		ID string `json:"id"`
	}
	err := json.Unmarshal(stdout.Bytes(), &made)
	assert.Thatf(b, (err == nil) == (code == done), "%d: %s%s", code, &stdout, &stderr)
	return code, made.ID, stderr.String()
}

// contentOf returns the number of rows of a tenant in each table, and their hash, with another id in place of the tenant's.
func (b *bundle) contentOf(tenant string) (content map[string]string) {
	b.Helper()
	content = map[string]string{}
	rows, _ := b.Admin().Query(b.Context(), `
		SELECT table_name, format('
			SELECT count(*) || '' '' || md5(COALESCE(string_agg(line, E''\n'' ORDER BY line COLLATE "C"), ''''))
			FROM (SELECT replace((to_jsonb(r) - ''tenant_id'')::text, %L, ''tenant'') FROM %I r WHERE tenant_id = %1$L) AS all_rows (line)',
			$1::text, table_name)
		FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'tenant_id'`, tenant)
	type query struct{ Table, SQL string }
	queries, err := pgx.CollectRows(rows, pgx.RowToStructByPos[query])
	must.OK(b, err)
	for _, q := range queries {
		var found string
		must.OK(b, b.Admin().QueryRow(b.Context(), q.SQL).Scan(&found))
		content[q.Table] = found
	}
	return content
}

// fillTables inserts rows of a tenant into tables of the domains that every app has, and that the demo leaves empty.
func (b *bundle) fillTables(tenant string) {
	b.Helper()
	must.Exec(b, b.Admin(), fmt.Sprintf(`
		SET LOCAL session_replication_role = replica;
		UPDATE customers SET address = E'"\\.\n\\.\n\\N,\t;' WHERE tenant_id = '%[1]s';
		INSERT INTO file_contents (tenant_id, digest, type, content)
		SELECT '%[1]s', sha256(content), 'text/plain', content
		FROM (SELECT decode(string_agg(lpad(to_hex(n), 2, '0'), '' ORDER BY n), 'hex') FROM generate_series(0, 255) AS n) AS f (content);
		CREATE TEMPORARY TABLE pair ON COMMIT DROP AS
		SELECT min(id::text)::uuid AS one, max(id::text)::uuid AS other FROM customers WHERE tenant_id = '%[1]s';
		INSERT INTO customer_distinctions (tenant_id, id, customer_ids) SELECT '%[1]s', one, ARRAY[one, other] FROM pair;
		INSERT INTO customer_distinct_pairs (tenant_id, one_id, other_id) SELECT '%[1]s', one, other FROM pair;
		INSERT INTO customer_erasures (tenant_id, id, customer_id, reason) SELECT '%[1]s', one, one AS customer, 'asked' FROM pair;
		INSERT INTO customer_merges (tenant_id, id, winner_id, loser_ids) SELECT '%[1]s', one, one AS winner, ARRAY[other] FROM pair;
		INSERT INTO customer_merge_rows (tenant_id, row_id, merge_id, table_name, column_name, was)
		SELECT '%[1]s', other, one, 'customers', 'merged_into', one FROM pair;
		INSERT INTO imports (tenant_id, id, file_name, encoding, separator, headings, headings_digest, columns, row_count, source,
			state, confirmed_at)
		SELECT '%[1]s', one, 'a.csv', 'utf-8', 'comma', '{"a, b"}', sha256(''), '{name}', 2, 'Shop', 'running', now() FROM pair;
		INSERT INTO import_chunks (tenant_id, import_id, line, created, known, left_out) SELECT '%[1]s', one, 1, 1, 0, 0 FROM pair;
		INSERT INTO import_files (tenant_id, import_id, content) SELECT '%[1]s', one, '\x00ff' FROM pair;
		INSERT INTO import_problems (tenant_id, import_id, line, problem) SELECT '%[1]s', one, 1, 'Enter a name.' FROM pair;
		INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
		SELECT tenant_id, record_id, operation, key, 'effect' FROM intents WHERE tenant_id = '%[1]s' LIMIT 1 ON CONFLICT DO NOTHING;
		INSERT INTO likenesses (tenant_id, likeness, record_id, expires_at) SELECT '%[1]s', sha256(''), one, 'infinity' FROM pair`, tenant))
}

// TestBusinessIsCopied exports a business with rows in every table, and imports it beside itself and into an empty database. What a key
// did before is not done again in the copy.
func TestBusinessIsCopied(t *testing.T) {
	pgtest.Long(t)
	t.Parallel()
	b := &bundle{t, apptest.Demo.New(t)}
	must.Exec(t, b.Admin(), `UPDATE tenants SET demo = false`)
	served := func(name string, on *bundle, tenant string, work func(b *bundle, at, token string)) {
		t.Run(name, func(t *testing.T) {
			b := &bundle{t, on.Database}
			token := strings.TrimSpace(b.want(done, "", "token", "create", "sync", "--tenant", tenant))
			at, _ := b.serve()
			work(b, at, token)
		})
	}
	var first string
	var kept billed
	served("before", b, apptest.Acme, func(b *bundle, at, token string) {
		_, first = b.customer(at, token, "before")
		kept = b.invoice(at, token, "kept", "")
	})
	b.fillTables(apptest.Acme)
	b.fillTablesOfInvoices(apptest.Acme)
	settled := map[string]string{"imports": "state <> 'stopped'"} // conditions that no copied row meets
	maps.Copy(settled, settledOfInvoices())

	was := b.contentOf(apptest.Acme)
	file := filepath.Join(t.TempDir(), "acme.zip")
	var m business.Manifest
	must.OK(t, json.Unmarshal([]byte(b.want(done, "", "tenant", "export", apptest.Acme, file, "--json")), &m))
	for _, table := range m.Tables {
		assert.Thatf(t, table.Rows > 0, "%s has no row: insert one in fillTables", table.Name)
	}
	b.want(failed, "", "tenant", "export", apptest.Acme, file) // it exists

	code, _, said := b.imports(file)
	assert.Thatf(t, code == exists && strings.Contains(said, "--name"), "under the name of another: %d, %s", code, said)
	other := &bundle{t, pgtest.New(t)}
	for of, name := range map[*bundle]string{b: "Copy", other: m.Name} {
		code, id, said := of.imports(file, "--name", name)
		must.Thatf(t, code == done && strings.Contains(said, "user create EMAIL --tenant "+id), "%d, %s", code, said)
		is := of.contentOf(id)
		for _, table := range m.Tables {
			condition, changes := settled[table.Name]
			if !changes {
				assert.Thatf(t, is[table.Name] == was[table.Name], "%s: %s, not %s", table.Name, is[table.Name], was[table.Name])
				continue
			}
			var n int
			sql := `SELECT count(*) FROM ` + table.Name + ` WHERE tenant_id = $1 AND ` + condition
			must.OK(t, of.Admin().QueryRow(t.Context(), sql, id).Scan(&n))
			assert.Thatf(t, n == 0, "%s: %d rows with %s", table.Name, n, condition)
		}
		again, _, said := of.imports(file, "--name", "Again")
		assert.Thatf(t, again == exists && strings.Contains(said, "imported before"), "again: %d, %s", again, said)
	}
	if now := b.contentOf(apptest.Acme); !maps.Equal(now, was) {
		t.Errorf("the exported business is %v, and was %v", now, was)
	}
	for name, of := range map[string]*bundle{"beside": b, "elsewhere": other} {
		served(name, of, m.Export.String(), func(b *bundle, at, token string) {
			_, again := b.customer(at, token, "before")
			assert.Thatf(b, again == first, "a key from before: %s\nwant %s", again, first)
			b.goesOn(at, token, kept)
			lists := []string{"customers", "settings"}
			lists = append(lists, listsOfInvoices()...)
			for _, list := range lists {
				r := b.request(http.MethodGet, at+"/api/v1/"+list, "application/json", token, "")
				r.Header.Del("Idempotency-Key")
				status, body := b.do(http.DefaultClient, r)
				assert.Thatf(b, status == http.StatusOK && len(body) > 100, "%s: %d %s", list, status, body)
			}
		})
	}
}

// changed returns a new file with other content, in which the manifest fits the tables.
func changed(t *testing.T, file string, change func(content map[string]string, m *business.Manifest)) string {
	t.Helper()
	content, names := unzipped(t, file)
	var m business.Manifest
	must.OK(t, json.Unmarshal([]byte(content["manifest.json"]), &m))
	delete(content, "manifest.json")
	change(content, &m)
	for i, table := range m.Tables {
		sum := sha256.Sum256([]byte(content[table.Name+".csv"]))
		m.Tables[i].SHA256 = hex.EncodeToString(sum[:])
	}
	manifest, err := json.Marshal(m)
	must.OK(t, err)
	if _, made := content["manifest.json"]; !made {
		content["manifest.json"] = string(manifest)
	}
	return zipped(t, content, names)
}

func unzipped(t *testing.T, file string) (content map[string]string, names []string) {
	t.Helper()
	content = map[string]string{}
	archive, err := zip.OpenReader(file)
	must.OK(t, err)
	defer archive.Close()
	for _, f := range archive.File {
		entry, err := f.Open()
		must.OK(t, err)
		text, err := io.ReadAll(entry)
		must.OK(t, err)
		content[f.Name], names = string(text), append(names, f.Name)
	}
	return content, names
}

// zipped writes the named contents, and those without a name after them.
func zipped(t *testing.T, content map[string]string, names []string) string {
	t.Helper()
	file, err := os.CreateTemp(t.TempDir(), "*.zip")
	must.OK(t, err)
	archive := zip.NewWriter(file)
	for _, name := range names {
		text, there := content[name]
		if !there {
			continue
		}
		entry, err := archive.Create(name)
		must.OK(t, err)
		_, err = io.WriteString(entry, text)
		must.OK(t, err)
	}
	must.OK(t, archive.Close())
	must.OK(t, file.Close())
	return file.Name()
}

// TestImportRefuses checks that a changed file is refused, even with matching digests, and leaves no rows.
func TestImportRefuses(t *testing.T) {
	pgtest.Long(t)
	t.Parallel()
	b := &bundle{t, apptest.Demo.New(t)}
	b.fillTables(apptest.Acme)
	file := filepath.Join(t.TempDir(), "acme.zip")
	b.want(done, "", "tenant", "export", apptest.Acme, file)
	type content = map[string]string
	cases := map[string]struct {
		change func(content, *business.Manifest)
		want   string
	}{
		"another schema":   {func(_ content, m *business.Manifest) { m.Schema-- }, "export and import with the same version"},
		"another format":   {func(_ content, m *business.Manifest) { m.Format++ }, "its format is 2"},
		"no manifest":      {func(c content, _ *business.Manifest) { c["manifest.json"] = "{" }, "manifest.json: unexpected EOF"},
		"a table less":     {func(c content, _ *business.Manifest) { delete(c, "settings.csv") }, "its manifest lists"},
		"an unlisted one":  {func(_ content, m *business.Manifest) { m.Tables = m.Tables[1:] }, "its manifest lists"},
		"a table of users": {rename("settings", "users"), "the table settings is missing"},
		"another column":   {replace("settings", "name,", "tenant_id,"), "settings.csv: column name mismatch"},
		"a row less": {func(c content, _ *business.Manifest) {
			c["customers.csv"], _, _ = strings.Cut(c["customers.csv"], "\n")
		}, "customers.csv has 0 rows"},
		"no row":           {empty(""), "there are no settings"},
		"no customer":      {empty("customers"), " refers to none ("},
		"a check":          {replace("settings", ",EUR,", ",eur,"), "settings.csv: "},
		"a number as text": {replace("settings", ",EUR,23,30,", ",EUR,23,x,"), "invalid input syntax"},
	}
	maps.Copy(cases, refusedOfInvoices())
	before := b.contents()
	for name, c := range cases {
		code, _, said := b.imports(changed(t, file, c.change), "--name", "Copy")
		assert.Thatf(t, code == failed && strings.Contains(said, "the file can't be imported") && strings.Contains(said, c.want),
			"%s: %d, %s", name, code, said)
	}
	all, names := unzipped(t, file)
	all["customers.csv"] = strings.Replace(all["customers.csv"], "Northwind", "Southwind", 1)
	code, _, said := b.imports(zipped(t, all, names), "--name", "Copy")
	assert.Thatf(t, code == failed && strings.Contains(said, "customers.csv has") && strings.Contains(said, "the digest"),
		"another digest: %d, %s", code, said)
	code, _, said = b.imports(zipped(t, all, append(names, names[0])), "--name", "Copy")
	assert.Thatf(t, code == failed && strings.Contains(said, "twice"), "a file twice: %d, %s", code, said)
	code, _, said = b.run("", "tenant", "import", file, "--name", "Copy")
	assert.Thatf(t, code == failed && strings.Contains(said, "as a superuser may (ADMIN_URL)"), "as the app's role: %d, %s", code, said)
	must.OK(t, os.WriteFile(file, []byte("PK"), 0o600))
	code, _, said = b.imports(file)
	assert.Thatf(t, code == failed && strings.Contains(said, "not a valid zip file"), "no ZIP file: %d, %s", code, said)
	if after := b.contents(); after != before {
		t.Errorf("there is\n%s\nand was\n%s", after, before)
	}
}

func rename(from, to string) func(map[string]string, *business.Manifest) {
	return func(c map[string]string, m *business.Manifest) {
		for i, table := range m.Tables {
			if table.Name == from {
				m.Tables[i].Name = to
			}
		}
	}
}

func replace(table, old, with string) func(map[string]string, *business.Manifest) {
	return func(c map[string]string, _ *business.Manifest) {
		c[table+".csv"] = strings.Replace(c[table+".csv"], old, with, 1)
	}
}

// empty removes the rows of a table; of all with "".
func empty(name string) func(map[string]string, *business.Manifest) {
	return func(c map[string]string, m *business.Manifest) {
		for i, table := range m.Tables {
			if name == "" || name == table.Name {
				c[table.Name+".csv"], _, _ = strings.Cut(c[table.Name+".csv"], "\n")
				m.Tables[i].Rows = 0
			}
		}
	}
}

// TestOneImportAtOnce imports a file several times at once.
func TestOneImportAtOnce(t *testing.T) {
	b := setup(t)
	b.want(done, "", "tenant", "create", "Acme")
	file := filepath.Join(t.TempDir(), "acme.zip")
	b.want(done, "", "tenant", "export", "Acme", file)
	const at = 4
	var all errgroup.Group
	codes, gate := make([]int, at), make(chan struct{})
	for i := range at {
		all.Go(func() error {
			<-gate
			codes[i], _, _ = b.imports(file, "--name", fmt.Sprint("Copy ", i))
			return nil
		})
	}
	close(gate)
	_ = all.Wait()
	count := map[int]int{}
	for _, code := range codes {
		count[code]++
	}
	var tenants int
	must.OK(t, b.Pool.QueryRow(t.Context(), `SELECT count(*) FROM tenants`).Scan(&tenants))
	assert.Thatf(t, count[done] == 1 && count[exists] == at-1 && tenants == 2, "%v, %d tenants", count, tenants)
}
