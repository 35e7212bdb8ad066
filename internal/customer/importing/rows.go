package importing

import (
	"bufio"
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
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/record"
	"onlyonce/internal/value/csvfile"
)

// Row is a row of a file, with its verdict.
type Row struct {
	Line  int // where it begins
	Cells []string
	// Draft is the command that creates the customer, unless the verdict is Wrong.
	Draft   customer.Draft
	Verdict Verdict
	// Problem has sentences about why it isn't imported, and Differences lists the fields that differ.
	Problem     string
	Differences []Difference
	// Existing is the customer that it is, differs from or looks like; zero for none.
	Existing record.Reference

	content []byte // the command as JSON, without its external id
	hasID   bool   // the file has its id
	made    bool   // an earlier attempt has created the customer
}

// Difference is a field in which a row differs from a customer.
type Difference struct{ Label, Saved, InFile string }

// Verdict is the result of comparing a row with the customers.
type Verdict string

// The verdicts.
const (
	New     Verdict = "new"
	Known   Verdict = "known"
	Differs Verdict = "differs"
	Alike   Verdict = "alike"
	Wrong   Verdict = "wrong"
)

// Verdicts returns all verdicts in the order in which pages show them.
func Verdicts() []Verdict { return []Verdict{New, Known, Differs, Alike, Wrong} }

// chunk is the number of rows that are looked up, imported and counted together.
const chunk = 500

// ErrDeleted means that the file of an import was deleted, because it is old.
var ErrDeleted = errors.New("the file of the import was deleted")

// Preview reads the file of an import with some settings, and calls visit with each row in order. It returns [ErrDeleted], or the error of
// visit.
func Preview(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, i Import, visit func(Row) error) error {
	return i.scan(ctx, pool, tenant, func(rows []Row) error {
		err := i.judge(ctx, pool, tenant, rows)
		for n := 0; err == nil && n < len(rows); n++ {
			err = visit(rows[n])
		}
		return err
	})
}

// scan reads the rows of the file, and calls visit with at most chunk of them at once. Each has its command or a problem.
func (i Import) scan(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, visit func([]Row) error) error {
	content := bufio.NewReaderSize(&content{ctx, pool, tenant, i.ID, 0}, 256<<10)
	reader := csvfile.NewReader(content, i.Format())
	if _, _, err := reader.Next(); err != nil {
		return fmt.Errorf("read the headings: %w", err)
	}
	seen := seen{}
	for {
		rows := make([]Row, 0, chunk)
		for len(rows) < chunk {
			cells, line, err := reader.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return fmt.Errorf("read the rows: %w", err)
			}
			rows = append(rows, i.row(cells, line, seen))
		}
		if len(rows) == 0 {
			return nil
		}
		if err := visit(rows); err != nil {
			return err
		}
	}
}

// row returns a row with its command. A row without an id gets one from its content, and from its place among the rows with the same
// content: so the same file finds the same customers later.
func (i Import) row(cells []string, line int, seen seen) Row {
	row := Row{Line: line, Cells: cells}
	d, err := i.input(cells).Draft()
	if problem, refused := idempotency.Refusal(err); refused {
		row.Verdict, row.Problem = Wrong, problem
		return row
	}
	if len(cells) > len(i.Headings) && strings.Join(cells[len(i.Headings):], "") != "" {
		row.Verdict, row.Problem = Wrong, "This row has more fields than the first line."
		return row
	}
	content := d
	content.External = idempotency.External{}
	text, err := json.Marshal(content)
	if err != nil {
		panic(err) // can't happen: these are strings
	}
	sum := sha256.Sum256(text)
	same := seen.first("content", string(sum[:]), line)
	repeats := 0
	if d.Email != "" {
		repeats = seen.first("email", d.Email.Folded()+"\n"+strings.ToLower(d.Name), line)
	}
	withID := 0
	row.content, row.hasID = text, d.ExternalID != ""
	if row.hasID {
		withID = seen.first("id", d.ExternalID, line)
	} else {
		place := seen.count(string(sum[:]))
		d.External.Source, d.ExternalID = i.Source, fmt.Sprintf("row-%s-%d", hex.EncodeToString(sum[:16]), place)
	}
	switch row.Draft = d; {
	case withID != 0 && withID == same, repeats != 0 && repeats == same:
		row.Verdict, row.Problem = Known, fmt.Sprintf("Line %d has the same customer.", same)
	case withID != 0:
		row.Verdict, row.Problem = Differs, fmt.Sprintf("Line %d has the same ID with other details.", withID)
	case repeats != 0:
		row.Verdict, row.Problem = Differs, fmt.Sprintf("Line %d has the same email and name with other details.", repeats)
	}
	return row
}

// seen has the lines of earlier rows by digests of their values, so that its size doesn't depend on the length of the values.
type seen map[[16]byte]int

// first returns the line of the first row with a value, 0 if it is this row.
func (s seen) first(kind, value string, line int) int {
	key := digest(kind, value)
	if first, found := s[key]; found {
		return first
	}
	s[key] = line
	return 0
}

// count returns the number of calls with a value, with this one.
func (s seen) count(value string) int {
	key := digest("count", value)
	s[key]++
	return s[key]
}

func digest(kind, value string) [16]byte {
	sum := sha256.Sum256([]byte(kind + "\n" + value))
	return [16]byte(sum[:16])
}

// found has the intent and the customers that the database has for a row.
type found struct {
	Intent   string          // the outcome of an earlier attempt; "" for none
	ByID     bool            // the customer was found by its external id
	Customer json.RawMessage // the one with the external id, or else with the email and name; nil for none
	Like     string          // the field that another customer has in common
	LikeID   uuid.UUID
	LikeName string
}

// judge completes the rows that have no verdict, in one round trip.
func (i Import) judge(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, rows []Row) error {
	var open []*Row
	var keys, ids, emails, names, taxIDs []string
	for n := range rows {
		if row := &rows[n]; row.Verdict == "" {
			open = append(open, row)
			keys, ids = append(keys, i.key(row.Line)), append(ids, row.Draft.ExternalID)
			emails, names = append(emails, string(row.Draft.Email)), append(names, row.Draft.Name)
			taxIDs = append(taxIDs, row.Draft.TaxID)
		}
	}
	if len(open) == 0 {
		return nil
	}
	all, err := record.Collect(ctx, pool, tenant, pgx.RowToStructByPos[found], lookup, pgx.NamedArgs{
		"keys": keys, "ids": ids, "emails": emails, "names": names, "tax_ids": taxIDs, "source": i.Source, "confirmed": i.confirmed(),
		"none": uuid.Nil,
	})
	if err != nil {
		return err
	}
	for n, f := range all {
		if err := f.judge(open[n]); err != nil {
			return err
		}
	}
	return nil
}

// confirmed returns the time of the confirmation, or nil before it.
func (i Import) confirmed() any {
	if i.ConfirmedAt.IsZero() {
		return nil
	}
	return i.ConfirmedAt
}

// lookup finds the intent and the customers of rows. The forms in which texts are compared are computed first, because row-level security
// lets no function see a row before the policy has. A customer that came after the confirmation doesn't count as similar: most are from
// this import.
//
//nolint:unqueryvet // the JSON of a customer reads all columns
var lookup = `
	WITH wanted AS MATERIALIZED (
		SELECT n, key, id, lower(email COLLATE "C") AS email, fold_text(name) AS name, fold_text(@source) AS source,
			alike_tax_id(tax_id) AS like_tax_id, alike_name(name) AS like_name,
			CASE WHEN email <> '' THEN alike_email(email) ELSE '' END AS like_email
		FROM unnest(@keys::text[], @ids::text[], @emails::text[], @names::text[], @tax_ids::text[]) WITH ORDINALITY
			AS row (key, id, email, name, tax_id, n)
	)
	SELECT COALESCE(i.outcome::text, ''), COALESCE(c.rank = 1, false), c.json,
		COALESCE(a.what, ''), COALESCE(a.id, @none::uuid), COALESCE(a.name, '')
	FROM wanted w
	LEFT JOIN LATERAL (
		SELECT outcome FROM intents
		WHERE tenant_id = @tenant_id AND operation = 'customer.upsert' AND key = w.key LIMIT 1) AS i ON true
	LEFT JOIN LATERAL (
		SELECT r.rank, ` + customer.Table.JSON() + ` AS json FROM (
			(SELECT 1 AS rank, * FROM customers
				WHERE tenant_id = @tenant_id AND source_folded = w.source AND external_id = w.id LIMIT 1) UNION ALL
			(SELECT 2, * FROM customers
				WHERE tenant_id = @tenant_id AND email_folded = w.email AND name_folded = w.name AND merged_into IS NULL
				LIMIT 1) UNION ALL
			(SELECT 3, * FROM customers
				WHERE tenant_id = @tenant_id AND email_folded = w.email AND name_folded = w.name AND merged_into IS NOT NULL
				LIMIT 1)
		) AS r ORDER BY r.rank LIMIT 1) AS c ON true
	LEFT JOIN LATERAL (
		SELECT * FROM (
			(SELECT 1 AS rank, 'tax ID' AS what, id, name, created_at FROM customers
				WHERE tenant_id = @tenant_id AND alike_tax_id = w.like_tax_id AND alike_tax_id <> '' AND merged_into IS NULL
				ORDER BY id LIMIT 1) UNION ALL
			(SELECT 2, 'email', id, name, created_at FROM customers
				WHERE tenant_id = @tenant_id AND alike_email = w.like_email AND merged_into IS NULL
				ORDER BY id LIMIT 1) UNION ALL
			(SELECT 3, 'name', id, name, created_at FROM customers
				WHERE tenant_id = @tenant_id AND alike_name = w.like_name AND alike_name <> '' AND merged_into IS NULL
				ORDER BY id LIMIT 1)
		) AS a WHERE created_at <= COALESCE(@confirmed::timestamptz, created_at) ORDER BY rank LIMIT 1) AS a ON true
	ORDER BY w.n`

// judge sets the verdict of a row.
func (f found) judge(row *Row) error {
	switch {
	case f.Intent == string(idempotency.Created):
		row.Verdict, row.made = New, true
	case f.Intent != "":
		row.Verdict = Known
	case f.Customer != nil:
		return f.compare(row)
	case f.Like != "":
		row.Verdict, row.Existing = Alike, record.Reference{ID: f.LikeID, Name: f.LikeName}
		row.Problem = "Looks like " + f.LikeName + ", which has the same " + f.Like + "."
	default:
		row.Verdict = New
	}
	return nil
}

// compare sets the verdict of a row whose customer was found. Fields that are blank in the file don't count. A row without an id has the
// same content as before.
func (f found) compare(row *Row) error {
	is, err := record.Decode[customer.Customer](f.Customer)
	if err != nil {
		return err
	}
	saved, err := record.Decode[customer.Input](f.Customer)
	if err != nil {
		return err
	}
	row.Verdict, row.Existing = Known, record.Reference{ID: is.ID, Name: is.Name}
	if is.MergedInto != (record.Reference{}) {
		row.Existing = is.MergedInto
		return nil
	}
	if f.ByID && !row.hasID {
		return nil
	}
	inFile, err := record.Decode[customer.Input](row.content)
	if err != nil {
		return err
	}
	for _, field := range Fields() {
		typed, was := *field.value(&inFile), *field.value(&saved)
		if typed != "" && !strings.EqualFold(typed, was) {
			row.Differences = append(row.Differences, Difference{field.Label, was, typed})
		}
	}
	if !is.ArchivedAt.IsZero() {
		row.Differences = append(row.Differences, Difference{"Archived", "yes", "no"})
	}
	if len(row.Differences) > 0 {
		row.Verdict, row.Problem = Differs, describe(row.Differences)
	}
	return nil
}

// describe puts differences into sentences, such as "Country: saved is FR, the file has DE".
func describe(all []Difference) string {
	var texts []string
	for _, d := range all {
		if d.Saved == "" {
			d.Saved = "nothing"
		}
		texts = append(texts, d.Label+": saved is "+d.Saved+", the file has "+d.InFile+".")
	}
	return strings.ReplaceAll(strings.Join(texts, " "), "\n", ", ")
}

// key returns the key of the intent of a row, the same on each replica and in each attempt.
func (i Import) key(line int) string { return fmt.Sprintf("import %s %d", i.ID, line) }

// content reads the file of an import from the database, in parts.
type content struct {
	ctx    context.Context //nolint:containedctx // of the caller that reads it; io.Reader has none
	pool   *pgxpool.Pool
	tenant uuid.UUID
	of     uuid.UUID
	at     int // of the next byte
}

func (c *content) Read(p []byte) (int, error) {
	part, err := record.One(c.ctx, c.pool, c.tenant, pgx.RowTo[[]byte], `
		SELECT substring(content FROM @from::integer FOR @length::integer) FROM customer_import_files
		WHERE tenant_id = @tenant_id AND import_id = @import::uuid`,
		pgx.NamedArgs{"import": c.of, "from": c.at + 1, "length": len(p)})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return 0, ErrDeleted
	case err != nil:
		return 0, err
	case len(part) == 0:
		return 0, io.EOF
	}
	c.at += len(part)
	return copy(p, part), nil
}
