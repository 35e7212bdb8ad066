// Package logo has the logos of businesses. A business has one logo at a time, which its drafts show. Issued invoices keep the logo that
// they were issued with.
package logo

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/conflict"
	"onlyonce/internal/file"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/record"
)

// Logo is a stored logo.
type Logo struct {
	record.Header

	File      file.Stored `json:"file"`
	RemovedAt time.Time   `json:"removed_at,omitzero" doc:"When it was removed, or replaced by another one."`
}

// Table is the table of logos.
var Table = record.Table[Logo]{Name: "logos", Fields: `'removed_at', r.removed_at, 'file', ` + file.JSON("file")}

// Rule returns the rule for the files of logos.
func Rule() file.Rule {
	return file.Rule{MaxBytes: 1 << 20, Types: []string{"image/png", "image/jpeg"}}
}

// MaxPixels is the maximum width and height of a logo. It bounds the memory for decoding it, to 32 MB.
const MaxPixels = 2000

// maxScans is the maximum number of scans of a JPEG file. Programs write at most some ten, and each costs the time of the whole image.
const maxScans = 100

// Input is the unchecked input.
type Input struct {
	File file.Input `json:"file"`
}

// Draft is the command that uploads a logo.
type Draft struct {
	File file.File `json:"file"`
}

// Draft checks the input. It returns an [*invalid.Error].
func (in Input) Draft() (Draft, error) {
	var problems invalid.Error
	d := Draft{Rule().Check(in.File, "/file", &problems)}
	if len(problems.Fields) == 0 {
		if problem := check(d.File); problem != "" {
			problems.Add("/file", d.File.Name+" "+problem)
		}
	}
	return d, problems.Err()
}

// check returns the fault of an image as the predicate of a sentence about the file, or "" for none.
func check(f file.File) string {
	const broken = "can't be read as an image. Choose another file."
	configOf, decode := png.DecodeConfig, png.Decode
	if f.Type == "image/jpeg" {
		configOf, decode = jpeg.DecodeConfig, jpeg.Decode
	}
	config, err := configOf(bytes.NewReader(f.Content))
	switch {
	case err != nil, f.Type == "image/jpeg" && bytes.Count(f.Content, []byte{0xff, 0xda}) > maxScans:
		return broken
	case config.Width > MaxPixels || config.Height > MaxPixels:
		return fmt.Sprintf("has %d × %d pixels. Choose an image of at most %d × %d.", config.Width, config.Height, MaxPixels, MaxPixels)
	case config.ColorModel == color.CMYKModel:
		return "has the colours of a print shop (CMYK). Save it as RGB, or as a PNG file."
	}
	var decoded image.Image
	if decoded, err = decode(bytes.NewReader(f.Content)); err != nil || decoded.Bounds().Empty() {
		return broken
	}
	return ""
}

// Create uploads a logo, which replaces the earlier one.
var Create = idempotency.Define(idempotency.Spec[Draft, Logo]{
	Kind: idempotency.Create, Name: "logo.create", Table: Table,
	Statements: func(tx *idempotency.Tx, d Draft) idempotency.Result {
		args := d.File.Arguments()
		tx.Exec(`
			WITH replaced AS (
				UPDATE logos SET removed_at = now() WHERE tenant_id = @tenant_id AND settings_id = @tenant_id
				RETURNING id
			)
			INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
			SELECT @tenant_id, id, @operation, @idempotency_key, 'replaced' FROM replaced`, nil)
		tx.Exec(file.Insert, args)
		tx.Exec(`
			INSERT INTO logos (tenant_id, id, file_name, file_digest)
			VALUES (@tenant_id, @record_id, @file_name, @file_digest)`, args)
		return tx.Record()
	},
	Explain: map[string]idempotency.Explanation[Draft]{
		"logos_settings": idempotency.Missing[Draft], // can't happen: each tenant has settings
		"logos_one":      idempotency.Missing[Draft], // another upload at once: the next send replaces its logo
		"logos_file":     idempotency.Missing[Draft], // can't happen: the same transaction inserts the content
	},
	Fields: func(d Draft) []slog.Attr { return []slog.Attr{slog.String("file", d.File.SHA256)} },
})

// Remove removes a logo, unless another one has replaced it.
var Remove = idempotency.Define(idempotency.Spec[struct{}, Logo]{
	Kind: idempotency.Transition, Name: "logo.remove", Table: Table, Made: `r.removed_at IS NOT NULL`,
	Statements: func(tx *idempotency.Tx, _ struct{}) idempotency.Result {
		tx.Exec(`UPDATE logos SET removed_at = now() WHERE tenant_id = @tenant_id AND id = @record_id`, nil)
		return tx.Record()
	},
	Explain: map[string]idempotency.Explanation[struct{}]{ // can't happen: its settings become NULL
		"logos_one": idempotency.Missing[struct{}], "logos_settings": idempotency.Missing[struct{}],
	},
})

// Rules returns the uniqueness rules of logos.
func Rules() []conflict.Rule {
	return []conflict.Rule{{
		Constraint: "logos_one", Optional: true,
		Sentence: "A business has one logo at a time.",
		Answer:   "The second one replaces the first. Issued invoices keep theirs.",
	}}
}

// List returns a page of the logos of a tenant, newest first, with removed ones.
func List(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, page record.Page) (record.List[Logo], error) {
	return record.ListBy(ctx, pool, Table, tenant, page, `true`, nil)
}
