package business

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/people/account"
	"onlyonce/internal/postgres"
	"onlyonce/migrations"
)

// maxSize is the maximum size of the unpacked content of a file, in bytes.
const maxSize = 32 << 30

// maxManifest is the maximum size of a manifest, in bytes.
const maxManifest = 1 << 20

// ErrImported means that the installation has imported the file before.
var ErrImported = errors.New("this file was imported before, and an export is imported once: export the business again for another copy")

// ErrNameTaken means that the installation has a tenant of the name.
var ErrNameTaken = errors.New("there is a tenant of this name: --name imports the file under another one")

// FileError means that a file is no export of this version of the app, or was changed since.
type FileError struct{ Problem string }

func (e *FileError) Error() string { return "the file can't be imported: " + e.Problem }

func wrong(format string, args ...any) error { return &FileError{fmt.Sprintf(format, args...)} }

// Import creates a tenant from an exported file, or does nothing. An empty name is that of the manifest. conn belongs to a superuser, or
// to a role with BYPASSRLS that may write the tables and set session_replication_role. No trigger runs for the rows. Instead, Import
// checks each foreign key, and the sums.
//
// It returns a [*FileError], [ErrImported], [ErrNameTaken], an [*invalid.Error] for an unsuitable name, or an error of
// [postgres.SchemaCurrent].
func Import(ctx context.Context, conn *pgx.Conn, file *zip.Reader, name string, parts []Part) (account.Tenant, error) {
	if err := postgres.SchemaCurrent(ctx, conn); err != nil {
		return account.Tenant{}, err
	}
	p, err := unpack(file)
	if err != nil {
		return account.Tenant{}, err
	}
	if name == "" {
		name = p.Name
	}
	if name, err = account.CheckName("the name of the tenant", name); err != nil {
		return account.Tenant{}, err
	}
	t := account.Tenant{ID: p.Export, Name: name}
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return p.load(ctx, tx, t, parts) })
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch refused.ConstraintName {
		case "tenants_pkey":
			err = ErrImported
		case "tenants_name_once":
			err = ErrNameTaken
		}
	}
	if err != nil {
		return account.Tenant{}, fmt.Errorf("import tenant %q: %w", name, err)
	}
	return t, nil
}

// unpacked is an exported file.
type unpacked struct {
	Manifest

	files map[string]*zip.File // by name
}

// unpack reads the manifest, and checks that the file has as many tables as the manifest.
func unpack(file *zip.Reader) (p unpacked, err error) {
	p.files = map[string]*zip.File{}
	size := uint64(0)
	for _, f := range file.File {
		if p.files[f.Name] != nil {
			return p, wrong("it has %s twice", f.Name)
		}
		if size += f.UncompressedSize64; f.UncompressedSize64 > maxSize || size > maxSize {
			return p, wrong("its content is larger than %d GiB", maxSize>>30)
		}
		p.files[f.Name] = f
	}
	manifest := p.files[manifestName]
	if manifest == nil {
		return p, wrong("it has no %s", manifestName)
	}
	content, err := manifest.Open()
	if err != nil {
		return p, wrong("%s: %v", manifestName, err)
	}
	defer content.Close()
	if err := json.NewDecoder(io.LimitReader(content, maxManifest)).Decode(&p.Manifest); err != nil {
		return p, wrong("%s: %v", manifestName, err)
	}
	newest, err := migrations.Newest(migrations.FS)
	switch {
	case err != nil:
		return p, err
	case p.Format != format:
		return p, wrong("its format is %d, and this program reads %d", p.Format, format)
	case p.Schema != newest:
		return p, wrong("it has schema %d and this program %d: export and import with the same version of the app", p.Schema, newest)
	case len(p.Tables) != len(p.files)-1:
		return p, wrong("it has %d tables, and its manifest lists %d", len(p.files)-1, len(p.Tables))
	}
	return p, nil
}

// load writes the rows of the file, and checks them.
func (p unpacked) load(ctx context.Context, tx pgx.Tx, t account.Tenant, parts []Part) error {
	// Triggers have run for these rows already. They would queue mails, write events, and assign numbers again.
	if _, err := tx.Exec(ctx, `SET LOCAL session_replication_role = replica`); err != nil {
		return fmt.Errorf("leave out triggers, as a superuser may (ADMIN_URL): %w", err)
	}
	if _, err := tx.Exec(ctx, `INSERT INTO tenants (id, name) VALUES ($1, $2)`, t.ID, t.Name); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `SELECT set_config('onlyonce.tenant_id', $1::text, true)`, t.ID); err != nil {
		return err
	}
	all, err := tables(ctx, tx, parts)
	if err != nil {
		return err
	}
	if len(all) != len(p.Tables) {
		return wrong("it has %d tables, and this installation %d", len(p.Tables), len(all))
	}
	for i, of := range all {
		if err := p.copy(ctx, tx, t.ID, of, p.Tables[i]); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(ctx, `
		UPDATE tenants SET time_zone = s.time_zone FROM settings s WHERE s.tenant_id = $1 AND tenants.id = $1`, t.ID); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `SET LOCAL session_replication_role = origin`); err != nil {
		return err
	}
	names := make([]string, len(all))
	for i, t := range all {
		names[i] = t.Name
	}
	if _, err := tx.Exec(ctx, `ANALYZE `+quoted(names)); err != nil { // or the checks are planned for empty tables
		return err
	}
	if err := checkReferences(ctx, tx, t.ID, names); err != nil {
		return err
	}
	return settle(ctx, tx, t.ID, append([]Part{own}, parts...))
}

// copy writes the rows of a table. The file doesn't choose their tenant: it is staged in a table without tenant_id. Ids that are the
// exported tenant's become those of the new one.
func (p unpacked) copy(ctx context.Context, tx pgx.Tx, tenant uuid.UUID, t table, listed Table) error {
	f := p.files[t.Name+suffix]
	if f == nil || listed.Name != t.Name {
		return wrong("the table %s is missing", t.Name)
	}
	content, err := f.Open()
	if err != nil {
		return wrong("%s: %v", f.Name, err)
	}
	defer content.Close()
	name, columns := quoted([]string{t.Name}), quoted(t.Columns)
	if _, err := tx.Exec(ctx, fmt.Sprintf(`CREATE TEMPORARY TABLE staged ON COMMIT DROP AS SELECT %s FROM %s WITH NO DATA`,
		columns, name)); err != nil {
		return err
	}
	hash := sha256.New()
	const from = `COPY pg_temp.staged FROM STDIN (FORMAT csv, HEADER match)`
	staged, err := tx.Conn().PgConn().CopyFrom(ctx, io.TeeReader(content, hash), from)
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
		return wrong("%s: %s", f.Name, refused.Message)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", t.Name, err)
	}
	if sum := hex.EncodeToString(hash.Sum(nil)); sum != listed.SHA256 || staged.RowsAffected() != listed.Rows {
		return wrong("%s has %d rows and the digest %s, and its manifest lists %d and %s",
			f.Name, staged.RowsAffected(), sum, listed.Rows, listed.SHA256)
	}
	values := make([]string, len(t.Columns))
	for i, column := range t.Columns {
		values[i] = quoted([]string{column})
		switch t.Types[i] {
		case "uuid", "uuid[]", "json", "jsonb":
			values[i] = fmt.Sprintf(`replace(%s::text, '%s', '%s')::%s`, values[i], p.Tenant, tenant, t.Types[i])
		}
	}
	_, err = tx.Exec(ctx, fmt.Sprintf(`INSERT INTO %s (tenant_id, %s) OVERRIDING SYSTEM VALUE SELECT $1, %s FROM pg_temp.staged`,
		name, columns, strings.Join(values, ", ")), tenant)
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok && strings.HasPrefix(refused.Code, "23") {
		return wrong("%s: %s", f.Name, refused.Message)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", t.Name, err)
	}
	_, err = tx.Exec(ctx, `DROP TABLE pg_temp.staged`)
	return err
}

// checkReferences checks the foreign keys of tables, which PostgreSQL doesn't check without triggers.
func checkReferences(ctx context.Context, tx pgx.Tx, tenant uuid.UUID, names []string) error {
	rows, _ := tx.Query(ctx, `
		SELECT conname::text, conrelid::regclass::text, format('
			SELECT EXISTS (
				SELECT FROM %s r WHERE r.tenant_id = $1 AND %s AND NOT EXISTS (SELECT FROM %s o WHERE %s))',
			conrelid::regclass, string_agg(format('r.%I IS NOT NULL', a.attname), ' AND '), confrelid::regclass,
			string_agg(format('o.%I = r.%I', b.attname, a.attname), ' AND '))
		FROM pg_constraint CROSS JOIN unnest(conkey, confkey) AS pair (here, there)
			JOIN pg_attribute a ON a.attrelid = conrelid AND a.attnum = here
			JOIN pg_attribute b ON b.attrelid = confrelid AND b.attnum = there
		WHERE contype = 'f' AND connamespace = current_schema()::regnamespace AND conrelid = ANY ($1::regclass[])
		GROUP BY pg_constraint.oid, conname, conrelid, confrelid
		ORDER BY conname`, names) // CollectRows returns its error
	type reference struct{ Name, Table, Broken string }
	references, err := pgx.CollectRows(rows, pgx.RowToStructByPos[reference])
	if err != nil {
		return fmt.Errorf("read the foreign keys: %w", err)
	}
	for _, r := range references {
		var broken bool
		if err := tx.QueryRow(ctx, r.Broken, tenant).Scan(&broken); err != nil {
			return fmt.Errorf("check %s: %w", r.Name, err)
		}
		if broken {
			return wrong("a row of %s refers to none (%s)", r.Table, r.Name)
		}
	}
	return nil
}

// settle checks the sums of a tenant, and then runs the statements that settle it.
func settle(ctx context.Context, tx pgx.Tx, tenant uuid.UUID, parts []Part) error {
	for _, part := range parts {
		for _, sql := range part.Sums {
			var off string
			err := tx.QueryRow(ctx, sql+" LIMIT 1", tenant).Scan(&off)
			switch {
			case err == nil:
				return wrong("%s", off)
			case !errors.Is(err, pgx.ErrNoRows):
				return fmt.Errorf("check the sums: %w", err)
			}
		}
	}
	for _, part := range parts {
		for _, sql := range part.Settle {
			if _, err := tx.Exec(ctx, sql, tenant); err != nil {
				return fmt.Errorf("settle: %w", err)
			}
		}
	}
	return nil
}
