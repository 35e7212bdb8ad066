package site_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/web"
	"onlyonce/static"
)

// Requests that must not change anything: reads, natural routes, and refused requests.

// contents returns a digest of all rows of all tables that belong to tenants.
func (b *bundle) contents() string {
	b.Helper()
	return b.digest(append(b.tenantTables(), "users", "api_tokens"))
}

// everything returns a digest of all tables, including the directory, without the time of a session's last request.
func (b *bundle) everything() string {
	b.Helper()
	return b.digest(append(slices.Clone(directory), b.tenantTables()...))
}

func (b *bundle) digest(tables []string) string {
	b.Helper()
	var digests []string
	for _, table := range tables {
		row := `row::text`
		if table == "sessions" {
			row = `token`
		}
		digests = append(digests, `'`+table+` ' || (SELECT COALESCE(md5(string_agg(`+row+`, ',' ORDER BY `+row+`)), '') FROM `+
			pgx.Identifier{table}.Sanitize()+` AS row)`)
	}
	return get[string](b, `SELECT concat_ws(E'\n', `+strings.Join(digests, `, `)+`)`)
}

// wantUnchanged fails if two digests differ, and names the tables.
func wantUnchanged(b *bundle, what, before, after string) {
	b.Helper()
	if before == after {
		return
	}
	was := strings.Split(before, "\n")
	for i, table := range strings.Split(after, "\n") {
		if table != was[i] {
			name, _, _ := strings.Cut(table, " ")
			b.Errorf("%s changed the table %s", what, name)
		}
	}
}

// made is a record of a resource.
type made struct {
	resource

	id string
}

// madeOfEach creates a record of each resource, under the same key.
func (b *bundle) madeOfEach() (all []made) {
	b.Helper()
	program := b.program(b.replica, b.acme)
	for _, of := range resources() {
		of = b.placed(of, b.acme, of.name)
		a := program.create(of, key, of.command)
		if a.status != http.StatusCreated && a.status != http.StatusOK {
			b.Fatal(a)
		}
		all = append(all, made{of, decode[created](b, a).ID})
	}
	return all
}

// addresses returns a route's path with the id of each record, and with an unknown id.
func addresses(route web.Route, records []made) []string {
	assets, _ := static.New() // no error, because the server has created them too
	path := strings.NewReplacer("{slug}", "invalid", "/static/*", assets.Path("app.css")).Replace(route.Path)
	if !strings.Contains(path, "{id}") {
		return []string{path}
	}
	all := []string{strings.ReplaceAll(path, "{id}", uuid.NewString())}
	for _, record := range records {
		all = append(all, strings.ReplaceAll(path, "{id}", record.id))
	}
	return all
}

// TestReadsChangeNothing sends every GET, for existing records, with used and unused keys.
func TestReadsChangeNothing(t *testing.T) {
	pgtest.Long(t)
	b := setup(t)
	records := b.madeOfEach()
	at := b.behindAPooler()
	person, program := b.person(at, b.acme), b.program(at, b.acme)
	queries := []string{"", "?key=" + key, "?key=unused", "?limit=1", "?archived=1", "?action=delete",
		"?q=a", "?q=a+e", "?source=shop&external_id=1", "?cursor=" + records[0].id}
	refers := "?key=fresh&id=" + records[0].id + "&copy=" + records[0].id
	for _, record := range records {
		refers += "&" + url.QueryEscape(record.name) + "=" + record.id
	}
	queries = append(queries, refers)
	for _, record := range records {
		if record.parent != nil { // the parent has another state, such as issued
			records = append(records, made{record.parent.resource, record.parent.id})
		}
	}
	before, tried := b.everything(), 0
	for _, route := range b.Routes {
		if route.Repeat != web.Read {
			continue
		}
		caller := person
		if strings.HasPrefix(route.Path, "/api/") {
			caller = program
		}
		shown, asked := false, queries
		for _, record := range records {
			if strings.HasPrefix(route.Path, record.list()) || strings.HasPrefix(route.Path, record.path) {
				values := url.Values{"key": {key}, "copy": {record.id}}
				for _, f := range record.fields {
					values.Set(f.name, f.valid)
				}
				asked = append(slices.Clip(asked), "?"+values.Encode())
			}
		}
		for _, address := range addresses(route, records) {
			for _, query := range asked {
				a := caller.get(address + query)
				if a.status >= http.StatusInternalServerError {
					b.Errorf("%s%s: %v", address, query, a)
				}
				shown = shown || a.status == http.StatusOK
				tried++
				if query == "" && a.status == http.StatusNotFound {
					break // a 404 for every query
				}
			}
		}
		after := b.everything()
		wantUnchanged(b, "GET "+route.Path, before, after)
		if before = after; !shown && !leadsElsewhere(route) {
			b.Errorf("%s was never answered with 200", route.Path)
		}
	}
	if tried < 100 {
		b.Errorf("only %d requests", tried)
	}
}

// behindAPooler returns a replica whose connections prepare no statements, as behind PgBouncer. pgx then encodes a value by its
// Go type alone, and fails for some that work otherwise.
func (b *bundle) behindAPooler() *replica {
	b.Helper()
	config := b.db.Pool.Config()
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	pool, err := pgxpool.NewWithConfig(b.Context(), config)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(pool.Close)
	return b.serveOn(pool)
}

// leadsElsewhere reports whether the address itself shows nothing to a logged-in user.
func leadsElsewhere(route web.Route) bool {
	return route.Path == "/" || route.Path == "/login" || route.Path == "/join" || // /join needs a link
		strings.HasPrefix(route.Path, "/lab") || // for demo tenants only: TestLabRuns reads them
		slices.ContainsFunc(resources(), func(of resource) bool { return of.parent != nil && !of.parent.ownPage && route.Path == of.path+"/{id}" })
}

// TestEveryNaturalRouteIsNatural: a natural route leaves the tables as they are, the first time and when it is repeated, for
// every form: with the fields of its resource, or of the first one, with every declared value, with the ids of existing
// records, and with the values of buttons. Each form to a public route is sent by a newly logged-in user, since it may log out.
func TestEveryNaturalRouteIsNatural(t *testing.T) {
	pgtest.Long(t)
	b := setup(t)
	records := b.madeOfEach()
	acme := b.person(b.replica, b.acme)
	buttons := b.buttons(acme, records)
	tried := 0
	for _, route := range b.Routes {
		if route.Repeat != web.Natural {
			continue
		}
		tried++
		of := records[0]
		if i := slices.IndexFunc(records, func(m made) bool { return strings.HasPrefix(route.Path, m.path+"/") }); i >= 0 {
			of = records[i]
		}
		// A new tenant, because logins are limited per email, at a new replica, because they are limited per address.
		somebody := b.tenant("Somebody at " + route.Path)
		person := b.person(b.serve(), somebody)
		before := b.contents()
		missing := map[string]bool{} // addresses that return 404 for every form
		for i, form := range of.naturalForms(records, buttons) {
			for _, address := range addresses(route, records) {
				senders := []*client{acme, person}
				if route.Public() {
					senders = []*client{person} // logging out or in changes the session
					form.Set("email", somebody.email)
					form.Set("password", password)
				}
				for _, sender := range senders {
					if missing[address] {
						continue
					}
					a := sender.submit(address, form)
					if a.status >= http.StatusInternalServerError {
						b.Errorf("%s: %v", address, a)
					}
					missing[address] = sender == acme && a.status == http.StatusNotFound
				}
			}
			if route.Path == "/forgot" && i == 0 {
				before = b.contents() // the first request mails a link, and further ones within ten minutes don't
			}
			if (route.Path == "/login" || route.Path == "/forgot") && i == 1 {
				break // they are limited
			}
		}
		wantUnchanged(b, route.Path+" is not natural, make it an operation: it", before, b.contents())
	}
	if tried < 3 {
		b.Errorf("only %d routes are natural", tried)
	}
}

// naturalForms returns forms of a resource that may make a route behave in another way than its reason claims.
func (m made) naturalForms(records []made, buttons [][2]string) []url.Values {
	base := change(m.other, "idempotency_key", "another", "action", "add_line", "version", "1")
	for _, record := range records {
		base.Set(record.name, record.id)
		base.Set(record.name+"_id", record.id)
	}
	base.Set("id", m.id)
	forms := []url.Values{base, base} // repeated
	whole := change(base)
	for _, f := range m.fields {
		whole = change(whole, f.name, f.valid)
		forms = append(forms, change(base, f.name, f.valid), change(base, f.name, f.invalid))
	}
	forms = append(forms, whole)
	for _, s := range m.transitions {
		forms = append(forms, change(base, "action", s.verb), change(base, s.verb, "1"))
	}
	for _, button := range buttons {
		forms = append(forms, change(base, button[0], button[1]))
	}
	return forms
}

// buttons returns the names and values of all buttons on the pages about some records.
func (b *bundle) buttons(c *client, records []made) (found [][2]string) {
	b.Helper()
	seen := 0
	for _, route := range b.Routes {
		if route.Repeat != web.Read || strings.HasPrefix(route.Path, "/api/") {
			continue
		}
		for _, address := range addresses(route, records) {
			a := c.get(address + "?key=buttons")
			if !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
				continue
			}
			for _, n := range all(b.page(a).root, "button") {
				seen++
				name, _ := attr(n, "name")
				value, _ := attr(n, "value")
				if pair := [2]string{name, value}; name != "" && !slices.Contains(found, pair) {
					found = append(found, pair)
				}
			}
		}
	}
	if seen == 0 {
		b.Fatal("no page has a button")
	}
	return found
}

// TestRefusedRequestsChangeNothing sends requests without a key, with an invalid command, by a stranger or another tenant, and
// to unknown addresses. A middleware could have an effect before the operation.
func TestRefusedRequestsChangeNothing(t *testing.T) {
	b := setup(t)
	records := b.madeOfEach()
	stranger := b.stranger(b.replica).with("Content-Type", "application/json")
	owners := map[format]*client{} // logins are limited
	for _, f := range formats() {
		owners[f] = f.caller(b, b.replica, b.acme)
	}
	tried := 0
	for _, of := range b.casesOf(resources()...) {
		i := slices.IndexFunc(records, func(m made) bool { return m.name == of.resource.name })
		for _, f := range of.resource.formats() {
			to := of
			to.owner, to.id, to.seen = b.acme, records[i].id, 1
			if to.resource = records[i].resource; !of.kind.Changes() {
				to.id = ""
			}
			if to.resource.parent != nil {
				to.id = to.resource.parent.id
			}
			wrong := change(of.other, "colour", "red")
			for _, f := range of.resource.fields {
				if f.pointer != "" && !of.isButton() {
					wrong = change(wrong, f.name, f.invalid)
				}
			}
			nobody, nowhere := to, to
			nobody.id = uuid.NewString()
			nowhere.form, nowhere.api = to.form+"/nowhere", to.api+"/nowhere"
			owner, before := owners[f], b.everything()
			for _, sent := range []struct {
				what string
				c    *client
				to   caseRun
				key  string
				form url.Values
			}{
				{"malformed key", owner, to, "schlüssel", of.command},
				{"used key", owner, to, key, change(wrong, "name", "Another")},
				{"invalid command", owner, to, "new", wrong},
				{"invalid command, no key", owner, to, "", wrong},
				{"stranger", stranger, to, "new", of.command},
				{"stranger, used key", stranger, to, key, of.command},
				{"wrong token", stranger.with("Authorization", "Bearer nobody"), to, "new", of.command},
				{"another site", owner.with("Sec-Fetch-Site", "cross-site"), to, "new", of.command},
				{"no record", owner, nobody, "new", of.command},
				{"no such address", owner, nowhere, "new", of.command},
			} {
				isTransition := of.isButton() && strings.HasPrefix(sent.what, "invalid") || of.isButton() && sent.what == "used key"
				isSafe := sent.what == "another site" && f == jsonFormat{}
				isCreate := sent.what == "no record" && !of.namesOne()
				if isTransition || isSafe || isCreate {
					continue // these are valid
				}
				a := sent.c.must(f.send(t.Context(), sent.c, sent.to, sent.key, sent.form))
				if a.status < http.StatusBadRequest || a.status >= http.StatusInternalServerError {
					b.Errorf("%s, %s, %s: %v", of.operation, f.name(), sent.what, a)
				}
				after := b.everything()
				wantUnchanged(b, of.operation+", "+f.name()+", "+sent.what+":", before, after)
				before = after
				tried++
			}
		}
	}
	if tried < 30 {
		b.Errorf("only %d requests", tried)
	}
}
