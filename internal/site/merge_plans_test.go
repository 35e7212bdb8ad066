package site_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
)

// growMerges inserts merges of acme, with merged customers, and distinctions.
func (b *bundle) growMerges() {
	b.Helper()
	b.exec(fmt.Sprintf(`
		SET LOCAL session_replication_role = replica;
		CREATE OR REPLACE FUNCTION pg_temp.id(n bigint) RETURNS uuid LANGUAGE sql AS
			$$ SELECT ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid $$;
		INSERT INTO customers (tenant_id, id, email, name, archived_at, merged_into)
		SELECT '%[1]s', pg_temp.id(n), n || '@example.com', 'Customer', now(), pg_temp.id(n - 2 * %[2]d)
		FROM generate_series(2 * %[2]d + 1, 3 * %[2]d) AS n;
		INSERT INTO customer_merges (tenant_id, id, moved, winner_id, loser_ids)
		SELECT '%[1]s', pg_temp.id(n), 1, pg_temp.id(n), ARRAY[pg_temp.id(n + 2 * %[2]d)] FROM generate_series(1, %[2]d) AS n;
		INSERT INTO customer_merge_rows (tenant_id, row_id, merge_id, table_name, column_name, was)
		SELECT '%[1]s', pg_temp.id(n + 1), pg_temp.id(n), 'customers', 'merged_into', pg_temp.id(n + 2 * %[2]d)
		FROM generate_series(1, %[2]d) AS n;
		INSERT INTO customer_distinctions (tenant_id, id, customer_ids)
		SELECT '%[1]s', pg_temp.id(n), ARRAY[pg_temp.id(n), pg_temp.id(n + %[2]d)] FROM generate_series(1, %[2]d) AS n;
		INSERT INTO customer_distinct_pairs (tenant_id, one_id, other_id)
		SELECT '%[1]s', pg_temp.id(n), pg_temp.id(n + %[2]d) FROM generate_series(1, %[2]d) AS n`, b.acme.id, many))
}

// everyMerge returns the requests of the routes of duplicates, merges and distinctions.
func (b *bundle) everyMerge(program, person *client) map[string][]request {
	routes := map[string][]request{}
	for prefix, caller := range map[string]*client{"": person, "/api/v1": program} {
		groups := prefix + "/duplicates"
		routes["GET "+groups] = gets(caller, groups, at(groups, "name", "", false), at(groups, "email", "2", false),
			at(groups+"?limit=1", "name", "", false))
	}
	for i, of := range []resource{merges(), distinctions()} {
		maps.Copy(routes, b.everyPair(program, person, of, func(n int) url.Values {
			n += 100 * i
			return url.Values{"customers": {seen(rowID(n), rowID(n+1))}, "winner_id": {rowID(n)}}
		}))
	}
	merged := change(url.Values{"customers": {seen(rowID(401), rowID(402))}, "winner_id": {rowID(401)}}, "idempotency_key", "merged")
	routes["POST /merges"] = append(routes["POST /merges"], request{"merged", http.StatusConflict, func() answer {
		return person.submit("/merges", merged)
	}})
	return routes
}

// everyPair returns the requests of the routes of a resource about two records. A command is named by the place of the first
// record.
func (b *bundle) everyPair(program, person *client, of resource, pair func(n int) url.Values) map[string][]request {
	routes := everyEvent(program, person, of.path+"/{id}/events", of.path+"/"+rowID(7)+"/events")
	for prefix, caller := range map[string]*client{"": person, "/api/v1": program} {
		list := prefix + of.path
		routes["GET "+list] = gets(caller, list, at(list, "", rowID(2000), false), at(list, "", rowID(2000), true))
		routes["GET "+list+"/{id}"] = gets(caller, list+"/"+rowID(7), list+"/"+nobody)
	}
	said := func(made, late, n int, send func(command url.Values) answer) []request {
		ask := func(want, n int) request { return request{"pair", want, func() answer { return send(pair(n)) }} }
		done, mismatch := ask(made, n), ask(http.StatusUnprocessableEntity, n+2)
		return []request{done, done, mismatch, b.expiry(), ask(late, n)} // replayed
	}
	routes["POST "+of.path] = said(http.StatusSeeOther, 0, 401, func(command url.Values) answer {
		return person.submit(of.path, change(command, "idempotency_key", "form"))
	})
	routes["POST /api/v1"+of.path] = said(http.StatusCreated, http.StatusOK, 411, func(command url.Values) answer {
		return program.create(of, "api", command)
	})
	fresh := of.path + "/new?key=fresh"
	routes["GET "+of.path+"/new"] = gets(person, fresh, fresh+"&"+pair(421).Encode(), of.path+"/new?key=past+7")
	return routes
}
