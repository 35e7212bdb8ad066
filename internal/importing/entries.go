package importing

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/record"
	"onlyonce/internal/value/csvfile"
)

// Row is a row of a file.
type Row struct {
	Line  int // where it begins
	Cells []string
	// Values are the texts by the names of their fields, without empty ones.
	Values map[string]string
}

// Entry is a row of a file, or several that are one record, with the verdict.
type Entry struct {
	Rows []Row // at least one

	// Name and Detail are shown on pages, or the cells of the first row if Name is "".
	Name, Detail string
	Verdict      Verdict
	// Problem has sentences about why it isn't imported, or how it differs.
	Problem string
	// Existing is the record that it is, differs from or looks like; zero for none.
	Existing record.Reference
	// Made is set if an earlier attempt has created the record.
	Made bool
	// Marked entries are counted for [Spec.Caution].
	Marked bool

	command any // a C of [Spec], unless the verdict is Wrong
}

// Line returns the line where the entry begins.
func (e *Entry) Line() int { return e.Rows[0].Line }

// Refuse sets the verdict Wrong.
func (e *Entry) Refuse(problem string) { e.Verdict, e.Problem = Wrong, problem }

// Difference is a field in which an entry differs from a record.
type Difference struct{ Label, Saved, InFile string }

// Differ sets the verdict Differs if there are differences, such as "Country: saved is FR, the file has DE".
func (e *Entry) Differ(all []Difference) {
	var texts []string
	for _, d := range all {
		if d.Saved == "" {
			d.Saved = "nothing"
		}
		texts = append(texts, d.Label+": saved is "+d.Saved+", the file has "+d.InFile+".")
	}
	if len(all) > 0 {
		e.Verdict = Differs
		e.Problem = strings.ReplaceAll(strings.Join(texts, " "), "\n", ", ")
	}
}

// Verdict is the result of comparing an entry with the records.
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

// Preview reads the file of an import with some settings, and calls visit with each entry in order. It returns [ErrDeleted], or the error
// of visit.
func (k *Kind) Preview(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, i Import, visit func(*Entry) error) error {
	return k.scan(ctx, pool, tenant, i, func(entries []*Entry) error {
		err := k.judge(ctx, pool, tenant, i, entries)
		for n := 0; err == nil && n < len(entries); n++ {
			err = visit(entries[n])
		}
		return err
	})
}

// scan reads the file, and calls visit with the entries of a chunk at once. Each has its command or a problem.
func (k *Kind) scan(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, i Import, visit func([]*Entry) error) error {
	found, err := k.survey(ctx, pool, tenant, i)
	if err != nil {
		return err
	}
	i.Settings = found.settings(i.Settings)
	read, err := k.read(ctx, pool, tenant, i)
	if err != nil {
		return err
	}
	var entries []*Entry
	rows, last := 0, ""
	finish := func() {
		e := entries[len(entries)-1]
		if found.apart[digest("group", last)] {
			e.Refuse("The rows of this " + k.One + " are in several places of the file. Sort it, so that they are one below the other.")
		}
		if e.Verdict == "" {
			e.command = read(e)
		}
	}
	err = k.rows(ctx, pool, tenant, i, func(row Row, group, problem string) error {
		if group == "" || group != last || len(entries) == 0 {
			if len(entries) > 0 {
				finish()
			}
			if rows >= chunk {
				if err := visit(entries); err != nil {
					return err
				}
				entries, rows = nil, 0
			}
			entries, last = append(entries, &Entry{}), group
		}
		e := entries[len(entries)-1]
		e.Rows = append(e.Rows, row)
		if rows++; problem != "" {
			e.Refuse(problem)
		}
		return nil
	})
	if err != nil || len(entries) == 0 {
		return err
	}
	finish()
	return visit(entries)
}

// rows calls visit with each row of the file, its group, and a sentence about a mistake in it, or "".
func (k *Kind) rows(
	ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, i Import, visit func(row Row, group, problem string) error,
) error {
	content := bufio.NewReaderSize(&content{ctx, pool, tenant, i.ID, 0}, 256<<10)
	reader := csvfile.NewReader(content, i.Format())
	if _, _, err := reader.Next(); err != nil {
		return fmt.Errorf("read the headings: %w", err)
	}
	groupOf := func(Row) string { return "" }
	if k.group != nil {
		groupOf = k.group(i.Columns)
	}
	for {
		cells, line, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the rows: %w", err)
		}
		values, problem := k.values(i.Settings, cells)
		row := Row{line, cells, values}
		if len(cells) > len(i.Headings) && strings.Join(cells[len(i.Headings):], "") != "" {
			problem = "This row has more fields than the first line."
		}
		if err := visit(row, groupOf(row), problem); err != nil {
			return err
		}
	}
}

// judge completes the entries that have no verdict.
func (k *Kind) judge(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, i Import, entries []*Entry) error {
	var open []*Entry
	for _, e := range entries {
		if e.Verdict == "" {
			open = append(open, e)
		}
	}
	if len(open) == 0 {
		return nil
	}
	return k.judgeAll(ctx, pool, tenant, i, open)
}

// Key returns the key of the first intent of an entry that begins at a line, the same on each replica and in each attempt.
func (i Import) Key(line int) string { return fmt.Sprintf("import %s %d", i.ID, line) }

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
		SELECT substring(content FROM @from::integer FOR @length::integer) FROM import_files
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
