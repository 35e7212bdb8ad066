package sitetest

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"onlyonce/internal/web"
)

// IsPlain reports whether data and requests for plans follow from the declaration: it has no parent, and is created and edited at
// the usual addresses.
func (r Resource) IsPlain() bool {
	return r.Parent == nil && !r.Only && r.API.Encode != nil && r.Edited.Command != nil
}

// multiply creates a record of a resource, many copies, and as many archived copies after them, each with its words and with
// copies of the rows that refer to the record, such as its lines. Each belongs to another customer.
func (b *Bundle) multiply(of Resource) {
	b.Helper()
	copied := b.Prepared(b.Acme, "to copy", of, of.Command)
	table := b.Creating(of).table
	// The trigger collects the repeats of a transaction, so thousands in one would take a minute.
	likeness := func(action string) {
		b.Exec(fmt.Sprintf(`DO $$ BEGIN IF EXISTS (SELECT FROM pg_trigger WHERE tgrelid = '%[1]s'::regclass AND tgname = 'note_likeness')
			THEN ALTER TABLE %[1]s %[2]s TRIGGER note_likeness; END IF; END $$`, table, action))
	}
	likeness("DISABLE")
	b.copyRows(table, "id", copied.ID, b.grownReferences(table)...)
	likeness("ENABLE")
	for _, r := range All[struct{ Table, Column string }](b, `
		SELECT conrelid::regclass::text, attname::text FROM pg_constraint JOIN pg_attribute ON attrelid = conrelid AND attnum = ANY (conkey)
		WHERE confrelid = $1::regclass AND conrelid <> confrelid AND attname <> 'tenant_id'`, table) {
		if Get[bool](b, fmt.Sprintf(`SELECT EXISTS (SELECT FROM %s WHERE %s = '%s')`, r.Table, r.Column, RowID(1))) {
			continue // created by a trigger
		}
		b.copyRows(r.Table, r.Column, copied.ID)
		b.Exec(fmt.Sprintf(`DELETE FROM %s WHERE %s = '%s'`, r.Table, r.Column, copied.ID))
	}
	b.Exec(fmt.Sprintf(`DELETE FROM %s WHERE id = '%s'`, table, copied.ID))
}

// copyRows copies the rows of a table whose column, which names a record, has this id: the n-th copy has the n-th id. Unique
// values differ in each copy, and are far from the declared values: the copy's number is appended, or added. If several columns
// are unique together, references and choices stay, so that no more records need to exist. If a date is moved, all dates of the
// row are, so they keep their order. In the columns of references, the n-th copy has the n-th id too. A reference to the same table
// leads to the next copy.
func (b *Bundle) copyRows(table, column, id string, references ...string) {
	b.Helper()
	b.Exec(fmt.Sprintf(`DO $$ BEGIN EXECUTE (
		WITH ruled AS (
			SELECT indexrelid, a.attname AS name, a.atttypid = 'uuid'::regtype AS refers
			FROM pg_index x JOIN pg_attribute k ON k.attrelid = indrelid AND k.attnum = ANY (indkey::int2[])
			LEFT JOIN pg_attrdef d ON d.adrelid = indrelid AND d.adnum = k.attnum AND k.attgenerated <> ''
			JOIN pg_attribute a ON a.attrelid = indrelid AND a.attgenerated = '' AND a.attnum > 0
				AND (a.attnum = k.attnum OR pg_get_expr(adbin, adrelid) ~ ('\m' || a.attname || '\M'))
			WHERE indrelid = '%[1]s'::regclass AND indisunique AND NOT indisprimary
				AND a.attname <> 'tenant_id' AND a.atttypid NOT IN ('boolean'::regtype, 'time'::regtype, 'timestamptz'::regtype)
				AND NOT EXISTS (
					SELECT FROM pg_constraint c
					WHERE (conrelid = indrelid AND conkey = ARRAY[a.attnum] OR contypid = a.atttypid)
						AND pg_get_constraintdef(c.oid) ~ 'CHECK .*ANY \(')
		)
		SELECT format('INSERT INTO %%1$I (%%2$s)
			SELECT %%3$s FROM %%1$I r, generate_series(1, 2 * %[2]d) AS n WHERE %%5$I = %%4$L', '%[1]s',
			string_agg(format('%%I', name), ', '), string_agg(CASE
				WHEN name IN ('%[4]s', 'customer_id'%[5]s) OR once AND type = 'uuid'::regtype
					THEN '(''01900000-0000-7000-8000-'' || lpad(to_hex(n), 12, ''0''))::uuid'
				WHEN itself THEN format('CASE WHEN r.%%I IS NOT NULL
					THEN (''01900000-0000-7000-8000-'' || lpad(to_hex(mod(n, 2 * %[2]d) + 1), 12, ''0''))::uuid END', name)
				WHEN name = 'id' THEN 'gen_random_uuid()'
				WHEN name = 'archived_at' THEN 'CASE WHEN n > %[2]d THEN now() END'
				WHEN once AND type = 'text'::regtype THEN format('r.%%I || n', name)
				WHEN once THEN format('r.%%I + 100000 + n', name)
				ELSE format('r.%%I', name) END, ', '), '%[3]s', '%[4]s')
		FROM (
			SELECT name, type, itself, once OR type = 'date'::regtype AND bool_or(once) OVER (PARTITION BY type) AS once
			FROM (
				SELECT attname AS name, (SELECT COALESCE(NULLIF(typbasetype, 0), oid) FROM pg_type WHERE oid = atttypid) AS type, EXISTS (
					SELECT FROM ruled r WHERE r.name = attname AND (NOT refers OR NOT EXISTS (
						SELECT FROM ruled other WHERE other.indexrelid = r.indexrelid AND NOT other.refers))) AS once,
					EXISTS (SELECT FROM pg_constraint WHERE conrelid = attrelid AND confrelid = attrelid AND attnum = ANY (conkey)
						AND attname <> 'tenant_id') AS itself
				FROM pg_attribute
				WHERE attrelid = '%[1]s'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '') AS columns) AS moved);
	END $$`, table, Many, id, column, quotedAfterComma(references)))
}

// grownReferences returns the columns of a table that refer to another table with all numbered rows.
func (b *Bundle) grownReferences(table string) (grown []string) {
	b.Helper()
	for _, r := range All[struct{ Table, Column string }](b, `
		SELECT confrelid::regclass::text, attname::text
		FROM pg_constraint JOIN pg_attribute ON attrelid = conrelid AND attnum = ANY (conkey)
		WHERE conrelid = $1::regclass AND contype = 'f' AND conrelid <> confrelid AND attname <> 'tenant_id'
			AND atttypid = 'uuid'::regtype`, table) {
		if Get[int](b, fmt.Sprintf(`SELECT count(*) FROM %s WHERE tenant_id = '%s' AND id IN ('%s', '%s')`,
			r.Table, b.Acme.ID, RowID(1), RowID(2*Many))) == 2 {
			grown = append(grown, r.Column)
		}
	}
	return grown
}

func quotedAfterComma(names []string) (text string) {
	for _, name := range names {
		text += ", '" + name + "'"
	}
	return text
}

// everyPlain returns the requests of the routes of a plain resource. Each request that changes a record has another record.
func (b *Bundle) everyPlain(of Resource, program, person *Client) map[string][]Request {
	form := func(key string, command url.Values) Request {
		return Request{"form " + key, 0, func() Answer {
			return person.Submit(of.Path, Change(command, "idempotency_key", key, "allow_repeat", "1"))
		}}
	}
	api := func(key string, command url.Values) Request {
		return Request{"API " + key, 0, func() Answer { return program.Create(of, key, command) }}
	}
	broken := of.Command
	for _, f := range of.Fields {
		if f.Pointer != "" {
			broken = Change(broken, f.Name, f.Invalid)
		}
	}
	edited := func(n int, unique func(Unique) string) Edits {
		e := Edits{Resource: of, ID: RowID(n), Mine: of.Edited.Command, Broken: broken}
		for _, u := range of.Uniques {
			e.Mine = Change(e.Mine, u.Field, unique(u))
			e.Taken = of.Other // taken by then
		}
		e.Others = of.Fields[len(of.Fields)-1].another(of, e.Mine)
		return e
	}
	another := of.Other
	for _, u := range of.Uniques {
		another = Change(another, u.Field, u.Free)
	}
	twice := func(send func(string, url.Values) Request, command url.Values) []Request {
		done := send("one", command)
		return []Request{done, done, send("one", of.Command), send("two", command), b.Expiry(), done} // replayed, mismatch, taken
	}
	one, mine := of.Path+"/{id}", func(u Unique) string { return of.Command.Get(u.Field) }
	routes := EveryEvent(program, person, one+"/events", of.Path+"/"+RowID(7)+"/events")
	maps.Copy(routes, map[string][]Request{
		"POST " + of.Path:         twice(form, of.Other),
		"POST /api/v1" + of.Path:  twice(api, another),
		"GET " + of.Path + "/new": Gets(person, of.Path+"/new?key=fresh", of.Path+"/new?key=past+7"),
		"GET " + one:              Gets(person, of.Path+"/"+RowID(7), of.Path+"/"+Nobody),
		"GET /api/v1" + one:       Gets(program, "/api/v1"+of.Path+"/"+RowID(7)),
		"GET " + one + "/edit":    EditForms(person, of.Path+"/", 11),
		"POST " + one + "/edit":   b.FormEdits(person, edited(12, mine)),
		"PUT /api/v1" + one:       b.APIEdits(program, edited(13, func(u Unique) string { return u.Value }), 0),
	})
	again := []url.Values{Change(of.Command, "idempotency_key", "lines", "action", "add_line")}
	for _, r := range b.Routes {
		if field, offers := strings.CutPrefix(r.Path, of.Path+"/choices/"); offers {
			again = append(again, Change(again[0], "action", "find:"+field, "search-"+field, "customer 1"))
			find := r.Path + "?q="
			routes["GET "+r.Path] = Gets(person, r.Path, find+"customer", find+"customer+77", find+"1", r.Path+"?id="+RowID(7))
		}
	}
	for path, at := range map[string]string{of.Path: of.Path, one: of.Path + "/" + RowID(11)} {
		if slices.ContainsFunc(b.Routes, func(r web.Route) bool { return r.Path == path+"/form" }) {
			for _, form := range again {
				shown := Request{form.Get("action"), http.StatusOK, func() Answer { return person.Submit(at+"/form", form) }}
				routes["POST "+path+"/form"] = append(routes["POST "+path+"/form"], shown)
			}
		}
	}
	for prefix, caller := range map[string]*Client{"": person, "/api/v1": program} {
		for name := range of.Command {
			if _, _, isFile := FileOf(of.Command.Get(name)); isFile {
				routes["GET "+prefix+one+"/"+name] = Gets(caller, prefix+of.Path+"/"+RowID(7)+"/"+name)
			}
		}
		pages := PagesOf(prefix + of.Path)
		searched := prefix + of.Path + "?limit=100&q=" + url.QueryEscape(strings.Fields(of.Label)[0])
		pages = append(pages, searched)
		for _, filter := range of.Filters {
			for _, kind := range []string{"", "&archived=1"} {
				filtered := prefix + of.Path + "?limit=100&" + filter + kind
				pages = append(pages, filtered, At(filtered, "", RowID(Many/2), false), filtered+"&q=77")
			}
		}
		routes["GET "+prefix+of.Path] = Gets(caller, pages...)
	}
	if of.external() {
		routes["GET /api/v1"+of.Path] = append(routes["GET /api/v1"+of.Path], FoundExternally(program, of)...)
	}
	return routes
}
