package postgres

import (
	"cmp"
	"context"
	_ "embed" // for catalog.sql and catalog.txt
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// object is a database object. Its subject is the table, domain or function that it is or belongs to. Its name is empty if a subject
// has only one object of the kind.
type object struct{ Kind, Subject, Name string }

func (o object) String() string {
	switch {
	case o.Name == "":
		return "the " + o.Kind + " of " + o.Subject
	case o.Kind == "table", o.Kind == "domain", o.Kind == "function":
		return "the " + o.Kind + " " + o.Name
	default:
		return "the " + o.Kind + " " + o.Name + " of " + o.Subject
	}
}

// catalogQuery returns the kind, subject and name of each object of the current schema, and a hash of its definition. It leaves out
// goose's table, and River's schema, which River's own migrations change.
//
// A definition is PostgreSQL's text for the object. That text is the same after a restore, and in versions 15 to 18 for all objects of
// the migrations. It leaves out OIDs, column positions and role names, which may differ after a restore: a grantee is the owner,
// PUBLIC, or another role. Other roles may have SELECT, which row-level security restricts. MAINTAIN, which owners have since version
// 17, is ignored.
//
//go:embed catalog.sql
var catalogQuery string

// catalog has a line for each object that the migrations make: kind, subject, name and hash, as returned by catalogQuery. It is written
// by make catalog.
//
//go:embed catalog.txt
var catalog string

// kinds returns the kinds of objects, in the order of the report.
func kinds() []kind {
	const (
		leak  = "tenants may see the rows of others"
		loose = "what the database has to refuse may come in"
		other = "it may change or refuse what the app writes"
	)
	return []kind{
		{"table", "the app does not work without it", other},
		{"row-level security", leak, leak},
		{"policy", leak, leak},
		{"access list", "what has to stay may be changed, or the app may not do its work", other},
		{"constraint", loose, other},
		{"unique index", loose, other},
		{"trigger", "what it refuses may come in, and what it keeps up to date may be wrong", other},
		{"rule", other, other},
		{"function", "what it does or refuses may be wrong", "it may be called instead of ours"},
		{"domain", loose, other},
		{"column", "it may hold something else than the app expects", other},
		{"sequence", "what is numbered may come in another order", other},
		{"index", "the app gets slower as the tables grow", other},
	}
}

type kind struct {
	name    string
	means   string // the effect of a missing or different object of the migrations
	foreign string // the effect of an object that the migrations did not make
}

// maxDifferences is the number of differences that are reported one by one.
const maxDifferences = 20

// Differences compares the tables, functions and domains of the database, and all their parts, with those of the migrations. It returns
// a sentence for each object that differs, at most 20, and one more with the number of the rest. Other objects in the same schema are
// ignored, unless they affect those of the migrations. Foreign indexes that are not unique are ignored too: they refuse nothing, and an
// operator may need them. It returns none while the schema is older or newer than the program, about which [SchemaCurrent] returns an
// error.
func Differences(ctx context.Context, db Querier) ([]string, error) {
	err := SchemaCurrent(ctx, db)
	_, other := errors.AsType[*SchemaError](err)
	_, foreign := errors.AsType[*OtherMigrationsError](err)
	_, invalid := errors.AsType[*InvalidIndexError](err)
	switch {
	case other, foreign:
		return nil, nil
	case err != nil && !invalid:
		return nil, err
	}
	made := madeByMigrations()
	found, err := readCatalog(ctx, db, subjects(made))
	if err != nil {
		return nil, err
	}
	sentences := compare(made, found)
	if more := len(sentences) - maxDifferences; more > 0 {
		sentences = append(sentences[:maxDifferences], fmt.Sprintf("and %d objects more", more))
	}
	return sentences, nil
}

// madeByMigrations returns the hash of each object of the migrations.
func madeByMigrations() map[object]string {
	made := map[object]string{}
	for line := range strings.Lines(catalog) {
		field := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		made[object{field[0], field[1], field[2]}] = field[3]
	}
	return made
}

func subjects(objects map[object]string) []string {
	subjects := map[string]bool{}
	for o := range objects {
		subjects[o.Subject] = true
	}
	return slices.Collect(maps.Keys(subjects))
}

// readCatalog returns the hash of each object of these tables, functions and domains, or of the whole schema if subjects is nil.
func readCatalog(ctx context.Context, db Querier, subjects []string) (found map[object]string, err error) {
	found = map[object]string{}
	err = pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		// These settings affect the text of definitions.
		if _, err := tx.Exec(ctx, `
			SELECT set_config('search_path', quote_ident(current_schema()), true), set_config('quote_all_identifiers', 'off', true),
				set_config('intervalstyle', 'postgres', true), set_config('bytea_output', 'hex', true),
				set_config('transaction_read_only', 'on', true)`); err != nil {
			return err
		}
		rows, _ := tx.Query(ctx, catalogQuery, subjects) // addObjects returns its error
		return addObjects(found, rows)
	})
	if err != nil {
		return nil, fmt.Errorf("read the catalog: %w", err)
	}
	return found, nil
}

// addObjects adds the objects of a query, with their definitions or hashes.
func addObjects(to map[object]string, rows pgx.Rows) error {
	var (
		o          object
		definition string
	)
	_, err := pgx.ForEachRow(rows, []any{&o.Kind, &o.Subject, &o.Name, &definition}, func() error {
		to[o] = definition
		return nil
	})
	return err
}

// compare returns a sentence for each object that differs or is missing on one side.
func compare(made, found map[object]string) (sentences []string) {
	all := maps.Clone(made)
	maps.Copy(all, found)
	objects := slices.SortedFunc(maps.Keys(all), func(a, b object) int {
		return cmp.Or(cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.Name, b.Name))
	})
	for _, kind := range kinds() {
		for _, o := range objects {
			if o.Kind != kind.name {
				continue
			}
			was, ours := made[o]
			is, there := found[o]
			switch {
			case !ours && o.Kind != "index":
				sentences = append(sentences, fmt.Sprintf("%s is not ours: %s", o, kind.foreign))
			case ours && !there && !goneWith(o, made, found):
				sentences = append(sentences, fmt.Sprintf("%s is missing: %s", o, kind.means))
			case ours && there && is != was:
				sentences = append(sentences, fmt.Sprintf("%s is not as the migrations made it: %s", o, kind.means))
			}
		}
	}
	return sentences
}

// goneWith reports whether an object belongs to a table or domain that is missing.
func goneWith(o object, made, found map[object]string) bool {
	for _, whole := range []string{"table", "domain"} {
		subject := object{whole, o.Subject, o.Subject}
		_, ours := made[subject]
		_, there := found[subject]
		if o.Kind != whole && ours && !there {
			return true
		}
	}
	return false
}
