package site_test

import (
	"fmt"
	"maps"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"
)

// isPlain reports whether data and requests for plans follow from the declaration: it has no parent, and is created and edited at
// the usual addresses.
func (r resource) isPlain() bool {
	return r.parent == nil && !r.only && r.api.encode != nil && r.edited.command != nil
}

// multiply creates a record of a resource, many copies, and as many archived copies after them, each with its words and with
// copies of the rows that refer to the record, such as its lines. Each belongs to another customer.
func (b *bundle) multiply(of resource) {
	b.Helper()
	copied := b.prepared(b.acme, "to copy", of, of.command)
	table := b.creating(of).table
	b.copyRows(table, "id", copied.ID)
	rows, _ := b.admin.Query(b.Context(), `
		SELECT conrelid::regclass::text, attname::text FROM pg_constraint JOIN pg_attribute ON attrelid = conrelid AND attnum = ANY (conkey)
		WHERE confrelid = $1::regclass AND conrelid <> confrelid AND attname <> 'tenant_id'`, table)
	type reference struct{ Table, Column string }
	references, err := pgx.CollectRows(rows, pgx.RowToStructByPos[reference])
	if err != nil {
		b.Fatal(err)
	}
	for _, r := range references {
		if get[bool](b, fmt.Sprintf(`SELECT EXISTS (SELECT FROM %s WHERE %s = '%s')`, r.Table, r.Column, rowID(1))) {
			continue // created by a trigger
		}
		b.copyRows(r.Table, r.Column, copied.ID)
		b.exec(fmt.Sprintf(`DELETE FROM %s WHERE %s = '%s'`, r.Table, r.Column, copied.ID))
	}
	b.exec(fmt.Sprintf(`DELETE FROM %s WHERE id = '%s'`, table, copied.ID))
}

// copyRows copies the rows of a table whose column, which names a record, has this id: the n-th copy has the n-th id. Unique
// values differ in each copy, and are far from the declared values: the copy's number is appended, or added. If several columns
// are unique together, references and choices stay, so that no more records need to exist. If a date is moved, all dates of the
// row are, so they keep their order.
func (b *bundle) copyRows(table, column, id string) {
	b.Helper()
	b.exec(fmt.Sprintf(`DO $$ BEGIN EXECUTE (
		WITH ruled AS (
			SELECT indexrelid, a.attname AS name, a.atttypid = 'uuid'::regtype AS refers
			FROM pg_index x JOIN pg_attribute k ON k.attrelid = indrelid AND k.attnum = ANY (indkey::int2[])
			LEFT JOIN pg_attrdef d ON d.adrelid = indrelid AND d.adnum = k.attnum AND k.attgenerated <> ''
			JOIN pg_attribute a ON a.attrelid = indrelid AND a.attgenerated = '' AND a.attnum > 0
				AND (a.attnum = k.attnum OR pg_get_expr(adbin, adrelid) ~ ('\m' || a.attname || '\M'))
			WHERE indrelid = '%[1]s'::regclass AND indisunique AND NOT indisprimary
				AND a.attname <> 'tenant_id' AND a.atttypid <> 'boolean'::regtype AND NOT EXISTS (
					SELECT FROM pg_constraint c
					WHERE conrelid = indrelid AND conkey = ARRAY[a.attnum] AND pg_get_constraintdef(c.oid) ~ 'CHECK .*ANY \(')
		)
		SELECT format('INSERT INTO %%1$I (%%2$s)
			SELECT %%3$s FROM %%1$I r, generate_series(1, 2 * %[2]d) AS n WHERE %%5$I = %%4$L', '%[1]s',
			string_agg(format('%%I', name), ', '), string_agg(CASE
				WHEN name IN ('%[4]s', 'customer_id') OR once AND type = 'uuid'::regtype
					THEN '(''01900000-0000-7000-8000-'' || lpad(to_hex(n), 12, ''0''))::uuid'
				WHEN name = 'id' THEN 'gen_random_uuid()'
				WHEN name = 'archived_at' THEN 'CASE WHEN n > %[2]d THEN now() END'
				WHEN once AND type = 'text'::regtype THEN format('r.%%I || n', name)
				WHEN once THEN format('r.%%I + 100000 + n', name)
				ELSE format('r.%%I', name) END, ', '), '%[3]s', '%[4]s')
		FROM (
			SELECT name, type, once OR type = 'date'::regtype AND bool_or(once) OVER (PARTITION BY type) AS once
			FROM (
				SELECT attname AS name, atttypid AS type, EXISTS (
					SELECT FROM ruled r WHERE r.name = attname AND (NOT refers OR NOT EXISTS (
						SELECT FROM ruled other WHERE other.indexrelid = r.indexrelid AND NOT other.refers))) AS once
				FROM pg_attribute
				WHERE attrelid = '%[1]s'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '') AS columns) AS moved);
	END $$`, table, many, id, column))
}

// everyPlain returns the requests of the routes of a plain resource. Each request that changes a record has another record.
func (b *bundle) everyPlain(of resource, program, person *client) map[string][]request {
	form := func(key string, command url.Values) request {
		return request{"form " + key, 0, func() answer {
			return person.submit(of.path, change(command, "idempotency_key", key, "allow_repeat", "1"))
		}}
	}
	api := func(key string, command url.Values) request {
		return request{"API " + key, 0, func() answer { return program.create(of, key, command) }}
	}
	broken := of.command
	for _, f := range of.fields {
		if f.pointer != "" {
			broken = change(broken, f.name, f.invalid)
		}
	}
	edited := func(n int, unique func(unique) string) edits {
		e := edits{resource: of, id: rowID(n), mine: of.edited.command, broken: broken}
		for _, u := range of.uniques {
			e.mine = change(e.mine, u.field, unique(u))
			e.taken = of.other // taken by then
		}
		e.others = of.fields[len(of.fields)-1].another(of, e.mine)
		return e
	}
	another := of.other
	for _, u := range of.uniques {
		another = change(another, u.field, u.free)
	}
	twice := func(send func(string, url.Values) request, command url.Values) []request {
		done := send("one", command)
		return []request{done, done, send("one", of.command), send("two", command), b.expiry(), done} // replayed, mismatch, taken
	}
	one, mine := of.path+"/{id}", func(u unique) string { return of.command.Get(u.field) }
	routes := everyEvent(program, person, one+"/events", of.path+"/"+rowID(7)+"/events")
	maps.Copy(routes, map[string][]request{
		"POST " + of.path:         twice(form, of.other),
		"POST /api/v1" + of.path:  twice(api, another),
		"GET " + of.path + "/new": gets(person, of.path+"/new?key=fresh", of.path+"/new?key=past+7"),
		"GET " + one:              gets(person, of.path+"/"+rowID(7), of.path+"/"+nobody),
		"GET /api/v1" + one:       gets(program, "/api/v1"+of.path+"/"+rowID(7)),
		"GET " + one + "/edit":    editForms(person, of.path+"/", 11),
		"POST " + one + "/edit":   b.formEdits(person, edited(12, mine)),
		"PUT /api/v1" + one:       b.apiEdits(program, edited(13, func(u unique) string { return u.value }), 0),
	})
	for prefix, caller := range map[string]*client{"": person, "/api/v1": program} {
		pages := pagesOf(prefix + of.path)
		searched := prefix + of.path + "?limit=100&q=" + url.QueryEscape(strings.Fields(of.label)[0])
		routes["GET "+prefix+of.path] = gets(caller, append(pages, searched)...)
	}
	if of.external() {
		routes["GET /api/v1"+of.path] = append(routes["GET /api/v1"+of.path], foundExternally(program, of)...)
	}
	return routes
}
