package series

import (
	"context"
	"regexp"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/record"
)

// Pattern is a pattern of invoice numbers that was set. The newest one is effective; without one, it is {YYYY}-{NNNN}.
type Pattern struct {
	record.Header

	Pattern string `json:"pattern"` // such as RE-{YYYY}-{NNNN}
}

// Patterns is the table of patterns that were set.
var Patterns = record.Table[Pattern]{Name: "number_patterns", Fields: `'pattern', r.pattern`}

// PatternInput is the input as text.
type PatternInput struct {
	Pattern string `json:"pattern" doc:"{NNNN}: the number with at least four digits; {YYYY} or {YY}: the year. Like RE-{YYYY}-{NNNN}."`
}

// PatternDraft is the command that sets the pattern.
type PatternDraft struct {
	Pattern string `json:"pattern"`
}

// MaxPattern is the longest pattern accepted, in characters. Its longest number has [invoice.MaxNumber].
const MaxPattern = 30

// These are the conditions of the domain number_pattern in the database.
const (
	textPart  = `[A-Za-z0-9 ./_-]*`
	yearPart  = `(\{YY(YY)?\}` + textPart + `)?`
	placePart = `\{N{1,8}\}`
)

var (
	wellFormed = regexp.MustCompile(`^` + textPart + yearPart + placePart + textPart + `$` +
		`|^` + textPart + placePart + textPart + yearPart + `$`)
	likeAnyYear   = regexp.MustCompile(`^[0-9]{4}-[0-9]*#[0-9]*$|^[0-9]*#[0-9]*-[0-9]{4,}$`)
	ofCreditNotes = regexp.MustCompile(`(?i)^CN-`)
	partN         = regexp.MustCompile(placePart)
)

// Draft checks the input. It returns an [*invalid.Error] for a mistake.
func (in PatternInput) Draft() (PatternDraft, error) {
	d := PatternDraft{strings.Join(strings.Fields(in.Pattern), " ")}
	example := partN.ReplaceAllString(strings.NewReplacer("{YYYY}", "2026", "{YY}", "26").Replace(d.Pattern), "#")
	switch {
	case len(d.Pattern) > MaxPattern || !wellFormed.MatchString(d.Pattern):
		return d, refuse("/pattern", "Write {NNNN} once for the number, and {YYYY} or {YY} if each year begins with 1, "+
			"like RE-{YYYY}-{NNNN}. The rest are letters A to Z, digits, spaces and - / . _ with at most 30 characters in all.")
	case !strings.HasPrefix(d.Pattern, "{YYYY}-") && likeAnyYear.MatchString(example):
		return d, refuse("/pattern", "Such numbers look like those of {YYYY}-{NNNN}. Add a letter, or write / for the hyphen.")
	case ofCreditNotes.MatchString(d.Pattern):
		return d, refuse("/pattern", "The numbers of credit notes begin with CN-. Choose other letters.")
	}
	return d, nil
}

// SetPattern sets the pattern of the numbers that are allocated from then on.
var SetPattern = idempotency.Define(idempotency.Spec[PatternDraft, Pattern]{
	Kind: idempotency.Create, Name: "number_pattern.set", Table: Patterns,
	Statements: func(tx *idempotency.Tx, d PatternDraft) idempotency.Result {
		tx.Exec(`INSERT INTO number_patterns (tenant_id, id, pattern) VALUES (@tenant_id, @record_id, @pattern)`,
			pgx.NamedArgs{"pattern": d.Pattern})
		return tx.Record()
	},
})

// ListPatterns returns a page of the patterns that were set, newest first.
func ListPatterns(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, page record.Page) (record.List[Pattern], error) {
	return record.ListBy(ctx, pool, Patterns, tenant, page, `true`, nil)
}
