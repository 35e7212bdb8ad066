package site_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/web"
	"onlyonce/static"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/site/sitecases"
	"onlyonce/internal/site/sitetest"
)

type made struct {
	sitetest.Resource

	id string
}

// madeOfEach creates a record of each resource, under the same key.
func madeOfEach(b *sitetest.Bundle) (all []made) {
	b.Helper()
	program := b.Program(b.Replica, b.Acme)
	for _, of := range sitecases.Resources() {
		of = b.Placed(of, b.Acme, of.Name)
		a := program.Create(of, sitetest.Key, of.Command)
		must.Thatf(b, a.Status == http.StatusCreated || a.Status == http.StatusOK, "%v", a)
		all = append(all, made{of, sitetest.Decode[sitetest.Created](b, a).ID})
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
	records := madeOfEach(b)
	at := behindAPooler(b)
	person, program := b.Person(at, b.Acme), b.Program(at, b.Acme)
	queries := []string{"", "?key=" + sitetest.Key, "?key=unused", "?limit=1", "?archived=1", "?action=delete",
		"?q=a", "?q=a+e", "?source=shop&external_id=1", "?cursor=" + records[0].id}
	refers := "?key=fresh&id=" + records[0].id + "&copy=" + records[0].id
	for _, record := range records {
		refers += "&" + url.QueryEscape(record.Name) + "=" + record.id
	}
	queries = append(queries, refers)
	for _, record := range records {
		if record.Parent != nil { // the parent has another state, such as issued
			records = append(records, made{record.Parent.Resource, record.Parent.ID})
		}
	}
	before, tried := b.Everything(), 0
	for _, route := range b.Routes {
		if route.Repeat != web.Read {
			continue
		}
		caller := callerOf(route.Path, person, program)
		shown, asked := false, queries
		for _, record := range records {
			if strings.HasPrefix(route.Path, record.List()) || strings.HasPrefix(route.Path, record.Path) {
				values := url.Values{"key": {sitetest.Key}, "copy": {record.id}}
				for _, f := range record.Fields {
					values.Set(f.Name, f.Valid)
				}
				asked = append(slices.Clip(asked), "?"+values.Encode())
			}
		}
		for _, address := range addresses(route, records) {
			for _, query := range asked {
				a := caller.Get(address + query)
				assert.Thatf(b, a.Status < http.StatusInternalServerError, "%s%s: %v", address, query, a)
				shown = shown || a.Status == http.StatusOK
				tried++
				if query == "" && a.Status == http.StatusNotFound {
					break // a 404 for every query
				}
			}
		}
		after := b.Everything()
		sitetest.WantUnchanged(b, "GET "+route.Path, before, after)
		if before = after; !shown && !leadsElsewhere(route) {
			b.Errorf("%s was never answered with 200", route.Path)
		}
	}
	assert.Thatf(b, tried >= 100, "only %d requests", tried)
}

// behindAPooler returns a replica whose connections prepare no statements, as behind PgBouncer. pgx then encodes a value by its
// Go type alone, and fails for some that work otherwise.
func behindAPooler(b *sitetest.Bundle) *sitetest.Replica {
	b.Helper()
	config := b.DB.Pool.Config()
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	pool, err := pgxpool.NewWithConfig(b.Context(), config)
	must.OK(b, err)
	b.Cleanup(pool.Close)
	return b.ServeOn(pool)
}

// leadsElsewhere reports whether the address itself shows nothing to a logged-in user.
func leadsElsewhere(route web.Route) bool {
	return route.Path == "/" || route.Path == "/login" || route.Path == "/join" || // /join needs a link
		route.Path == "/sign-ups/{id}/start" || // as does this
		route.Path == "/docs/api/console/{file}" || // a name is no id: TestConsole loads them
		strings.HasSuffix(route.Path, "-imports/{id}/reverse") || // of confirmed imports only: TestImportOnPages reads it
		strings.HasSuffix(route.Path, "/ubl") || // for complete invoices only: TestEInvoice reads them
		strings.HasPrefix(route.Path, "/installation") || // for admins only: TestAdminsOnly reads them
		strings.HasPrefix(route.Path, "/lab") || // for demo tenants only: TestLabRuns reads them
		slices.ContainsFunc(sitecases.Resources(), func(of sitetest.Resource) bool {
			return of.Parent != nil && !of.Parent.OwnPage && route.Path == of.Path+"/{id}"
		})
}

// TestEveryNaturalRouteIsNatural: a natural route leaves the tables as they are, the first time and when it is repeated, for
// every form: with the fields of its resource, or of the first one, with every declared value, with the ids of existing
// records, and with the values of buttons. Each form to a public route is sent by a newly logged-in user, since it may log out.
func TestEveryNaturalRouteIsNatural(t *testing.T) {
	pgtest.Long(t)
	b := setup(t)
	records := madeOfEach(b)
	acme := b.Person(b.Replica, b.Acme)
	buttons := buttons(b, acme, records)
	tried := 0
	for _, route := range b.Routes {
		if route.Repeat != web.Natural {
			continue
		}
		tried++
		of := records[0]
		if i := slices.IndexFunc(records, func(m made) bool { return strings.HasPrefix(route.Path, m.Path+"/") }); i >= 0 {
			of = records[i]
		}
		// A new tenant, because logins are limited per email, at a new replica, because they are limited per address.
		somebody := b.Tenant("Somebody at " + route.Path)
		person := b.Person(b.Serve(), somebody)
		before := b.Contents()
		missing := map[string]bool{} // addresses that return 404 for every form
		for i, form := range of.naturalForms(records, buttons) {
			for _, address := range addresses(route, records) {
				senders := []*sitetest.Client{acme, person}
				if route.Public() {
					senders = []*sitetest.Client{person} // logging out or in changes the session
					form.Set("email", somebody.Email)
					form.Set("password", sitetest.Password)
				}
				for _, sender := range senders {
					if missing[address] {
						continue
					}
					a := sender.Submit(address, form)
					assert.Thatf(b, a.Status < http.StatusInternalServerError, "%s: %v", address, a)
					missing[address] = sender == acme && a.Status == http.StatusNotFound
				}
			}
			if route.Path == "/forgot" && i == 0 {
				before = b.Contents() // the first request mails a link, and further ones within ten minutes don't
			}
			if (route.Path == "/login" || route.Path == "/forgot") && i == 1 {
				break // they are limited
			}
		}
		sitetest.WantUnchanged(b, route.Path+" is not natural, make it an operation: it", before, b.Contents())
	}
	assert.Thatf(b, tried >= 3, "only %d routes are natural", tried)
}

// naturalForms returns forms of a resource that may make a route behave in another way than its reason claims.
func (m made) naturalForms(records []made, buttons [][2]string) []url.Values {
	base := sitetest.Change(m.Other, "idempotency_key", "another", "action", "add_line", "version", "1")
	for _, record := range records {
		base.Set(record.Name, record.id)
		base.Set(record.Name+"_id", record.id)
	}
	base.Set("id", m.id)
	forms := []url.Values{base, base} // repeated
	whole := sitetest.Change(base)
	for _, f := range m.Fields {
		whole = sitetest.Change(whole, f.Name, f.Valid)
		forms = append(forms, sitetest.Change(base, f.Name, f.Valid), sitetest.Change(base, f.Name, f.Invalid))
	}
	forms = append(forms, whole)
	for _, s := range m.Transitions {
		forms = append(forms, sitetest.Change(base, "action", s.Verb), sitetest.Change(base, s.Verb, "1"))
	}
	for _, button := range buttons {
		forms = append(forms, sitetest.Change(base, button[0], button[1]))
	}
	return forms
}

// buttons returns the names and values of all buttons on the pages about some records.
func buttons(b *sitetest.Bundle, c *sitetest.Client, records []made) (found [][2]string) {
	b.Helper()
	seen := 0
	for _, route := range b.Routes {
		if route.Repeat != web.Read || strings.HasPrefix(route.Path, "/api/") {
			continue
		}
		for _, address := range addresses(route, records) {
			a := c.Get(address + "?key=buttons")
			if !strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") {
				continue
			}
			for _, n := range sitetest.Elements(b.Page(a).Root, "button") {
				seen++
				name, _ := sitetest.Attr(n, "name")
				value, _ := sitetest.Attr(n, "value")
				if pair := [2]string{name, value}; name != "" && !slices.Contains(found, pair) {
					found = append(found, pair)
				}
			}
		}
	}
	must.Thatf(b, seen != 0, "no page has a button")
	return found
}

// TestRefusedRequestsChangeNothing sends requests without a key, with an invalid command, by a stranger or another tenant, and
// to unknown addresses. A middleware could have an effect before the operation.
func TestRefusedRequestsChangeNothing(t *testing.T) {
	b := setup(t)
	records := madeOfEach(b)
	stranger := b.Stranger(b.Replica).With("Content-Type", "application/json")
	owners := map[sitetest.Format]*sitetest.Client{} // logins are limited
	for _, f := range sitetest.Formats() {
		owners[f] = f.Caller(b, b.Replica, b.Acme)
	}
	tried := 0
	for _, of := range b.CasesOf(sitecases.Resources()...) {
		i := slices.IndexFunc(records, func(m made) bool { return m.Name == of.Resource.Name })
		for _, f := range of.Resource.Formats() {
			to := of
			to.Owner, to.ID, to.Seen = b.Acme, records[i].id, 1
			if to.Resource = records[i].Resource; !of.Kind.Changes() {
				to.ID = ""
			}
			if to.Resource.Parent != nil {
				to.ID = to.Resource.Parent.ID
			}
			wrong, canBeInvalid := sitetest.Change(of.Other, "colour", "red"), false
			for _, f := range of.Resource.Fields {
				if f.Pointer != "" && !of.IsButton() {
					wrong, canBeInvalid = sitetest.Change(wrong, f.Name, f.Invalid), true
				}
			}
			nobody, nowhere := to, to
			nobody.ID = uuid.NewString()
			nowhere.Form, nowhere.API = to.Form+"/nowhere", to.API+"/nowhere"
			owner, before := owners[f], b.Everything()
			for _, sent := range []struct {
				what string
				c    *sitetest.Client
				to   sitetest.Case
				key  string
				form url.Values
			}{
				{"malformed key", owner, to, "schlüssel", of.Command},
				{"used key", owner, to, sitetest.Key, sitetest.Change(wrong, "name", "Another")},
				{"invalid command", owner, to, "new", wrong},
				{"invalid command, no key", owner, to, "", wrong},
				{"stranger", stranger, to, "new", of.Command},
				{"stranger, used key", stranger, to, sitetest.Key, of.Command},
				{"wrong token", stranger.With("Authorization", "Bearer nobody"), to, "new", of.Command},
				{"another site", owner.With("Sec-Fetch-Site", "cross-site"), to, "new", of.Command},
				{"no record", owner, nobody, "new", of.Command},
				{"no such address", owner, nowhere, "new", of.Command},
			} {
				isTransition := of.IsButton() && strings.HasPrefix(sent.what, "invalid") || of.IsButton() && sent.what == "used key"
				isValid := strings.HasPrefix(sent.what, "invalid") && !canBeInvalid
				isSafe := sent.what == "another site" && f == sitetest.JSON{}
				isCreate := sent.what == "no record" && !of.NamesOne()
				isStranger := of.Resource.Strangers && (strings.HasPrefix(sent.what, "stranger") || sent.what == "wrong token")
				if isTransition || isValid || isSafe || isCreate || isStranger {
					continue // these are valid
				}
				a := sent.c.Must(f.Send(t.Context(), sent.c, sent.to, sent.key, sent.form))
				if a.Status < http.StatusBadRequest || a.Status >= http.StatusInternalServerError {
					b.Errorf("%s, %s, %s: %v", of.Operation, f.Name(), sent.what, a)
				}
				after := b.Everything()
				sitetest.WantUnchanged(b, of.Operation+", "+f.Name()+", "+sent.what+":", before, after)
				before = after
				tried++
			}
		}
	}
	assert.Thatf(b, tried >= 30, "only %d requests", tried)
}
