package site_test

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// plainResources are those whose past and whose requests follow from their declaration: they belong to no other, and are made
// and edited at the usual addresses. What the others need besides is in the tests of plans.
func plainResources() []resource {
	return slices.DeleteFunc(resources(), func(of resource) bool {
		return of.parent != nil || of.only || of.json == nil || of.edited == nil || of.name == "invoice" || of.name == "customer"
	})
}

// multiply makes one of a resource, and as many copies as every table has rows, and as many archived ones behind them, with
// their words. What may be there once is another in each copy: it is followed by the copy's number, or that is added to it. Each
// belongs to a customer of its own.
func (b *bundle) multiply(of resource) {
	b.Helper()
	copied := b.prepared(b.acme, "to copy", of, of.command)
	table := b.creating(of).table
	b.exec(fmt.Sprintf(`DO $$ BEGIN EXECUTE (
		SELECT format('INSERT INTO %%1$I (%%2$s) SELECT %%3$s FROM %%1$I r, generate_series(1, 2 * %[2]d) AS n WHERE id = %%4$L', '%[1]s',
			string_agg(format('%%I', name), ', '), string_agg(CASE
				WHEN name IN ('id', 'customer_id') OR once AND type = 'uuid'::regtype
					THEN '(''01900000-0000-7000-8000-'' || lpad(to_hex(n), 12, ''0''))::uuid'
				WHEN name = 'archived_at' THEN 'CASE WHEN n > %[2]d THEN now() END'
				WHEN once AND type = 'text'::regtype THEN format('r.%%I || n', name)
				WHEN once THEN format('r.%%I + n', name)
				ELSE format('r.%%I', name) END, ', '), '%[3]s')
		FROM (
			SELECT attname AS name, atttypid AS type, attname <> 'tenant_id' AND EXISTS (
				SELECT FROM pg_index x JOIN pg_attribute k ON k.attrelid = indrelid AND k.attnum = ANY (indkey::int2[])
				LEFT JOIN pg_attrdef d ON d.adrelid = indrelid AND d.adnum = k.attnum AND k.attgenerated <> ''
				WHERE indrelid = a.attrelid AND indisunique AND NOT indisprimary
					AND (k.attnum = a.attnum OR pg_get_expr(adbin, adrelid) ~ ('\m' || a.attname || '\M'))) AS once
			FROM pg_attribute a
			WHERE attrelid = '%[1]s'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '') AS columns);
	END $$; DELETE FROM %[1]s WHERE id = '%[3]s'`, table, many, copied.ID))
}

// everyPlain returns the requests of the routes of a plain resource. Those that change a record have one of its own.
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
		e := edits{resource: of, id: rowID(n), mine: of.edited, broken: broken}
		for _, u := range of.uniques {
			e.mine = change(e.mine, u.field, unique(u))
			e.taken = of.other // which is there then
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
