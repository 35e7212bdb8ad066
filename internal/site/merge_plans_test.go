package site_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
)

// growMerges gives acme merges, with customers that were merged, and distinctions.
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
	groups := func(prefix string) []string {
		return []string{prefix, at(prefix, "name", "", false), at(prefix, "email", "2", false), at(prefix+"?limit=1", "name", "", false)}
	}
	for prefix, caller := range map[string]*client{"": person, "/api/v1": program} {
		for _, path := range groups(prefix + "/duplicates") {
			routes["GET "+prefix+"/duplicates"] = append(routes["GET "+prefix+"/duplicates"], asking(caller, path))
		}
		for _, many := range []string{"/merges", "/distinctions"} {
			list, one := prefix+many, prefix+many+"/"
			routes["GET "+list] = []request{
				asking(caller, list), asking(caller, at(list, "", rowID(2000), false)), asking(caller, at(list, "", rowID(2000), true)),
			}
			routes["GET "+list+"/{id}"] = []request{asking(caller, one+rowID(7)), asking(caller, one+nobody)}
		}
	}
	for i, of := range []resource{merges(), distinctions()} {
		pair := func(n int) string { return seen(rowID(n+100*i), rowID(n+100*i+1)) }
		command := func(n int) url.Values {
			return url.Values{"customers": {pair(n)}, "winner_id": {rowID(n + 100*i)}}
		}
		form := func(key string, want int, n int) request {
			return request{"form " + key, want, func() answer { return person.submit(of.path, change(command(n), "idempotency_key", key)) }}
		}
		api := func(key string, want int, n int) request {
			return request{"API " + key, want, func() answer { return program.create(of, key, command(n)) }}
		}
		routes["POST "+of.path] = []request{
			form("form", 303, 401), form("form", 303, 401), form("form", 422, 403), b.expiry(), form("form", 0, 401),
		}
		routes["POST /api/v1"+of.path] = []request{
			api("api", http.StatusCreated, 411), api("api", http.StatusCreated, 411), api("api", 422, 413),
			b.expiry(), api("api", 200, 411),
		}
		if of.name == "merge" {
			routes["POST "+of.path] = append(routes["POST "+of.path], form("merged", 409, 401))
		}
		fresh := of.path + "/new?key=fresh&customers=" + url.QueryEscape(pair(421))
		routes["GET "+of.path+"/new"] = []request{
			asking(person, of.path+"/new?key=fresh"), asking(person, fresh), asking(person, of.path+"/new?key=past+7"),
		}
		maps.Copy(routes, everyEvent(program, person, of.path+"/{id}/events", of.path+"/"+rowID(7)+"/events"))
	}
	return routes
}
