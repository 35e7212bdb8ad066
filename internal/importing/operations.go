package importing

import (
	"context"
	"log/slog"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/record"
)

// define defines the operations of a kind.
func (k *Kind) define() {
	k.Upload = idempotency.Define(idempotency.Spec[Draft, Import]{
		Kind: idempotency.Create, Name: k.One + "_import.upload", Table: k.Table,
		Statements: func(tx *idempotency.Tx, d Draft) idempotency.Result {
			tx.Exec(`
				INSERT INTO imports (
					tenant_id, id, kind, file_name, encoding, separator, headings, headings_digest, row_count, columns, source,
					date_order, decimal_sign)
				SELECT @tenant_id, @record_id, @kind, @file_name, @encoding, @separator, @headings::text[], @headings_digest, @rows,
					COALESCE(last.columns, @columns::text[]), COALESCE(last.source, @source),
					COALESCE(last.date_order, ''), COALESCE(last.decimal_sign, '')
				FROM (SELECT) AS one LEFT JOIN LATERAL (
					SELECT columns, source, date_order, decimal_sign FROM imports
					WHERE tenant_id = @tenant_id AND kind = @kind AND headings_digest = @headings_digest AND confirmed_at IS NOT NULL
					ORDER BY id DESC LIMIT 1) AS last ON true`,
				pgx.NamedArgs{
					"kind": k.Many, "file_name": d.File.Name, "encoding": string(d.Format.Encoding),
					"separator": string(d.Format.Separator), "headings": d.Headings, "headings_digest": d.headingsDigest(),
					"rows": d.Rows, "columns": d.Columns, "source": DefaultSource,
				})
			tx.Exec(`INSERT INTO import_files (tenant_id, import_id, content) VALUES (@tenant_id, @record_id, @content)`,
				pgx.NamedArgs{"content": d.File.Content})
			return tx.Record()
		},
		NotInFingerprint: []string{"Headings", "Columns", "Rows"},
		Fields: func(d Draft) []slog.Attr {
			return []slog.Attr{slog.String("file", d.File.SHA256), slog.Int("rows", d.Rows)}
		},
	})
	k.Confirm = idempotency.Define(idempotency.Spec[Settings, Import]{
		Kind: idempotency.Transition, Name: k.One + "_import.confirm", Table: k.Table, Made: `r.state <> 'uploaded'`,
		Statements: func(tx *idempotency.Tx, s Settings) idempotency.Result {
			tx.Exec(`
				UPDATE imports SET state = 'running', confirmed_at = now(), asked_by = @actor,
					columns = COALESCE(@columns::text[], columns), source = COALESCE(NULLIF(@source, ''), source),
					takes_alike = @takes_alike, date_order = COALESCE(NULLIF(@date_order::text, ''), date_order),
					decimal_sign = COALESCE(NULLIF(@decimal_sign::text, ''), decimal_sign)
				WHERE tenant_id = @tenant_id AND id = @record_id`,
				pgx.NamedArgs{
					"columns": s.Columns, "source": s.Source, "takes_alike": s.TakesAlike,
					"date_order": string(s.DateOrder), "decimal_sign": string(s.DecimalSign),
				})
			tx.Exec(queue, nil)
			return tx.Record()
		},
		Explain: map[string]idempotency.Explanation[Settings]{
			"imports_columns": idempotency.Invalid[Settings]("/columns", "Choose a field for each column of this file."),
		},
	})
	k.Stop = idempotency.Define(idempotency.Spec[struct{}, Import]{
		Kind: idempotency.Transition, Name: k.One + "_import.stop", Table: k.Table, Made: `r.state = 'stopped'`,
		Statements: func(tx *idempotency.Tx, _ struct{}) idempotency.Result {
			tx.Check(errOver(), notOver, nil)
			tx.Require(1, errNotConfirmed(), `
				UPDATE imports SET state = 'stopped' WHERE tenant_id = @tenant_id AND id = @record_id AND state = 'running'`, nil)
			return tx.Record()
		},
	})
	k.Continue = idempotency.Define(idempotency.Spec[struct{}, Import]{
		Kind: idempotency.Transition, Name: k.One + "_import.continue", Table: k.Table, Made: `r.state = 'running'`,
		Statements: func(tx *idempotency.Tx, _ struct{}) idempotency.Result {
			tx.Check(errOver(), notOver, nil)
			tx.Require(1, errNotConfirmed(), `
				UPDATE imports SET state = 'running', asked_by = @actor
				WHERE tenant_id = @tenant_id AND id = @record_id AND state = 'stopped'`, nil)
			tx.Exec(queue, nil)
			return tx.Record()
		},
	})
	if k.TakesBack() {
		k.defineTakeBack()
	}
}

// notOver is the condition that an import wasn't taken back.
const notOver = `SELECT state <> 'taken_back' FROM imports WHERE tenant_id = @tenant_id AND id = @record_id`

func (k *Kind) defineTakeBack() {
	k.TakeBack = idempotency.Define(idempotency.Spec[struct{}, Import]{
		Kind: idempotency.Transition, Name: k.One + "_import.reverse", Table: k.Table, Made: `r.state = 'taken_back'`,
		Statements: func(tx *idempotency.Tx, _ struct{}) idempotency.Result {
			tx.Check(errNotConfirmed(), `SELECT state <> 'uploaded' FROM imports WHERE tenant_id = @tenant_id AND id = @record_id`, nil)
			tx.Check(errInProgress(), `
				SELECT state <> 'running' OR row_count <= `+done("created + known + left_out + more")+` OR NOT EXISTS (
					SELECT FROM import_files f WHERE f.tenant_id = r.tenant_id AND f.import_id = r.id)
				FROM imports r WHERE tenant_id = @tenant_id AND id = @record_id`, nil)
			tx.Require(1, k.errTooLate(), `
				UPDATE imports SET state = 'taken_back', taken_back_at = now()
				WHERE tenant_id = @tenant_id AND id = @record_id AND confirmed_at > now() - @within::interval`,
				pgx.NamedArgs{"within": TakeBackWithin})
			k.takeBack(tx)
			return tx.Record()
		},
		Explain: map[string]idempotency.Explanation[struct{}]{
			"imports_in_use": func(
				ctx context.Context, store *idempotency.Store, intent idempotency.Intent, _ struct{}, _ *pgconn.PgError,
			) error {
				used, err := k.used(ctx, store.Pool, intent.Tenant, intent.Record, mostUsed)
				if err != nil {
					return err
				}
				return k.errInUse(used)
			},
		},
	})
}

const queue = `
	INSERT INTO river.river_job (kind, queue, args, max_attempts)
	VALUES ('import', 'imports', jsonb_build_object('tenant', @tenant_id::uuid, 'import', @record_id::uuid), 25)`

// List returns a page of the imports of a tenant.
func (k *Kind) List(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, page record.Page) (record.List[Import], error) {
	return record.ListBy(ctx, pool, k.Table, tenant, page, `true`, nil)
}
