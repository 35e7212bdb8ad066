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
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/people/account"
	"onlyonce/migrations"
)

// Export writes a tenant to a ZIP file, as of one moment. The memory that it needs doesn't grow with the tenant. A connection is in use
// until the file is written.
func Export(ctx context.Context, pool *pgxpool.Pool, to io.Writer, tenant account.Tenant, parts []Part) (Manifest, error) {
	m := Manifest{Format: format, Export: uuid.New(), Tenant: tenant.ID, Name: tenant.Name}
	snapshot := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err := pgx.BeginTxFunc(ctx, pool, snapshot, func(tx pgx.Tx) error { return m.write(ctx, tx, to, parts) })
	if err != nil {
		return m, fmt.Errorf("export tenant %s: %w", tenant.ID, err)
	}
	return m, nil
}

func (m *Manifest) write(ctx context.Context, tx pgx.Tx, to io.Writer, parts []Part) (err error) {
	if m.Schema, err = migrations.Newest(migrations.FS); err != nil {
		return err
	}
	const enter = `SELECT now() FROM set_config('onlyonce.tenant_id', $1::text, true)`
	if err := tx.QueryRow(ctx, enter, m.Tenant).Scan(&m.At); err != nil {
		return err
	}
	all, err := tables(ctx, tx, parts)
	if err != nil {
		return err
	}
	file := zip.NewWriter(to)
	for _, t := range all {
		entry, err := m.entry(file, t.Name+suffix)
		if err != nil {
			return err
		}
		hash := sha256.New()
		done, err := tx.Conn().PgConn().CopyTo(ctx, io.MultiWriter(entry, hash), fmt.Sprintf(
			`COPY (SELECT %s FROM %s WHERE tenant_id = '%s' ORDER BY %s) TO STDOUT (FORMAT csv, HEADER)`,
			quoted(t.Columns), quoted([]string{t.Name}), m.Tenant, quoted(t.Key)))
		if err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
		m.Tables = append(m.Tables, Table{t.Name, done.RowsAffected(), hex.EncodeToString(hash.Sum(nil))})
	}
	entry, err := m.entry(file, manifestName)
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(entry)
	encoder.SetIndent("", "  ")
	if err := errors.Join(encoder.Encode(m), file.Close()); err != nil {
		return fmt.Errorf("%s: %w", manifestName, err)
	}
	return nil
}

func (m *Manifest) entry(file *zip.Writer, name string) (io.Writer, error) {
	entry, err := file.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: m.At.UTC().Truncate(time.Second)})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return entry, nil
}
