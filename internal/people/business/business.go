// Package business exports a business as a ZIP file, and imports the file as a new business, with the same ids of records, keys of intents
// and sums.
//
// The file has the rows of each table with tenant_id, as CSV that COPY writes and reads, and a [Manifest]. The tables are those of the
// catalog, so a new one is exported unless a [Part] leaves it out.
package business

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Part has what a domain adds to the copies of businesses.
type Part struct {
	// LeftOut has the tables that are not exported, each with the reason.
	LeftOut map[string]string
	// Sums are queries for amounts that don't add up in an imported tenant, $1. A row is a text that names one.
	Sums []string
	// Settle are statements about an imported tenant, $1, so that it does nothing by itself that the exported one does too.
	Settle []string
}

// own is the part that every app has.
var own = Part{
	LeftOut: map[string]string{
		"users":               "an email is that of one user of an installation, and passwords are not copied",
		"sessions":            "logins of users",
		"link_mails":          "mails to users",
		"installation_admins": "rights of users",
		"api_tokens":          "credentials",
		"api_token_uses":      "uses of tokens",
		"sign_ups":            "of the tenant of strangers",
		"sign_up_mails":       "of the tenant of strangers",
		"attempts":            "kept for some days by the replicas of an installation",
		"events":              "numbered by an installation, for the feeds and endpoints of programs",
		"event_feeds":         "programs of the exported business",
		"endpoints":           "programs of the exported business, which would get each event twice",
		"deliveries":          "deliveries to endpoints",
		"endpoint_mails":      "emails about endpoints",
	},
	Sums: []string{`SELECT 'there are no settings' WHERE NOT EXISTS (SELECT FROM settings WHERE tenant_id = $1)`},
}

// manifestName is the name of the [Manifest] in the ZIP file. Each table is in the file with its name and suffix.
const (
	manifestName = "manifest.json"
	suffix       = ".csv"
)

// format is the version of the format of files.
const format = 1

// Manifest describes an exported business.
type Manifest struct {
	Format int `json:"format"`
	// Export is the id of this export, and of the tenant that an import of it makes. So one installation imports it once.
	Export uuid.UUID `json:"export"`
	Tenant uuid.UUID `json:"tenant"` // the exported one
	Name   string    `json:"name"`
	Schema int64     `json:"schema"` // number of the newest migration
	At     time.Time `json:"at"`     // of the snapshot, in UTC
	Tables []Table   `json:"tables"` // by name
}

// Table is the part of a [Manifest] about the rows of one table.
type Table struct {
	Name   string `json:"name"`
	Rows   int64  `json:"rows"`
	SHA256 string `json:"sha256"` // of the CSV file, in hexadecimal
}

// table is a table of the catalog that is exported.
type table struct {
	Name    string
	Columns []string // without tenant_id and generated ones, in their order
	Types   []string // of the columns
	Key     []string // the columns of the primary key, by which rows are ordered
}

func leftOut(parts []Part) map[string]string {
	all := maps.Clone(own.LeftOut)
	for _, p := range parts {
		maps.Copy(all, p.LeftOut)
	}
	return all
}

// tables returns the tables that are exported, by name.
func tables(ctx context.Context, tx pgx.Tx, parts []Part) ([]table, error) {
	rows, _ := tx.Query(ctx, `
		SELECT relname::text,
			array_agg(attname::text ORDER BY attnum) FILTER (WHERE attname <> 'tenant_id' AND attgenerated = ''),
			array_agg(format_type(atttypid, NULL) ORDER BY attnum) FILTER (WHERE attname <> 'tenant_id' AND attgenerated = ''),
			array_agg(attname::text ORDER BY array_position(indkey::int2[], attnum)) FILTER (WHERE attnum = ANY (indkey))
		FROM pg_class c JOIN pg_attribute ON attrelid = c.oid AND attnum > 0 AND NOT attisdropped
			JOIN pg_index ON indrelid = c.oid AND indisprimary
		WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND relname <> ALL ($1)
		GROUP BY c.oid HAVING bool_or(attname = 'tenant_id')
		ORDER BY relname COLLATE "C"`, slices.Collect(maps.Keys(leftOut(parts)))) // CollectRows returns its error
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[table])
	if err != nil {
		return nil, fmt.Errorf("read the tables: %w", err)
	}
	return found, nil
}

// quoted returns identifiers for SQL, with commas between them.
func quoted(names []string) string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = pgx.Identifier{name}.Sanitize()
	}
	return strings.Join(all, ", ")
}
