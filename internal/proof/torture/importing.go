package torture

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// importKeys is the prefix of the keys of the jobs of imports.
const importKeys = "import "

const importsPath = "/customer-imports/"

// notBegun is in the refusal to stop or continue an import that isn't confirmed yet.
const notBegun = "This import has not begun."

// fileRow is a row of a file, or several of one customer.
type fileRow struct {
	name, text string
	customers  int // that it creates; 0 if it can't be imported
}

// importFiles imports two files at once. The second has the rows of the first in another order, and five new ones. In some turns the first
// is imported again afterwards. In others there is one file, which is imported, taken back, and imported again.
func (t turn) importFiles(ctx context.Context) {
	if t.n%5 == 2 {
		rows := t.fileRows(20)
		t.takeImportBack(ctx, t.importFile(ctx, "-first", rows))
		t.importFile(ctx, "-again", rows)
		return
	}
	n := 10 + t.n*7%51
	if t.n%8 == 3 {
		n = 510 // more than a worker stores at once
	}
	all := t.fileRows(n)
	first, second := all[:n-5], slices.Clone(all)
	slices.Reverse(second)
	atOnce(func() { t.importFile(ctx, "-first", first) }, func() { t.importFile(ctx, "-second", second) })
	if t.n%3 == 1 {
		t.importFile(ctx, "-again", first)
	}
}

// fileRows returns rows with an id in every other turn, and with an email each second one. One in ten has no name, one comes twice, and one
// comes again with another contact.
func (t turn) fileRows(n int) (all []fileRow) {
	for i := range n {
		row := fileRow{name: fmt.Sprintf("%s row %d", t.name, i), customers: 1}
		id, email := "", ""
		if t.n%2 == 0 {
			id = strconv.Itoa(i)
		}
		if i%2 == 0 {
			email = strings.ReplaceAll(row.name, " ", "-") + "@example.com"
		}
		row.text = fmt.Sprintf("%s,%s,%s,\n", id, row.name, email)
		switch i % 10 {
		case 3:
			row.text, row.customers = id+",,nobody@example.com,\n", 0
		case 6:
			row.text += fmt.Sprintf("%s,%s,%s,Another\n", id, row.name, email)
		case 9:
			row.text += row.text
			if id == "" { // with neither an id nor an email, they are two customers
				row.customers = 2
			}
		}
		all = append(all, row)
	}
	return all
}

// importFile uploads a file from two senders at once. It confirms the import by two forms at once, each from two senders, and stops and
// continues it meanwhile. Then it waits until all rows are done, and returns the path of the import.
func (t turn) importFile(ctx context.Context, key string, rows []fileRow) (at string) {
	wanted, file := map[string]int{}, "id,name,email,contact\n"
	for _, row := range rows {
		file += row.text
		if row.customers > 0 {
			wanted[row.name] = row.customers
		}
	}
	post := func(verb, key, path string, form url.Values, first int, texts ...string) string {
		of := origin{t.tenant, "customer_import." + verb, t.name + key}
		form.Set("idempotency_key", of.key)
		return t.postImport(ctx, of, path, form, first, texts...)
	}
	var other string
	upload := func(first int) string {
		return post("upload", key, strings.TrimSuffix(importsPath, "/"), url.Values{fileField: {file}}, first)
	}
	atOnce(func() { at = upload(0) }, func() { other = upload(1) })
	if ctx.Err() != nil || at == "" || at != other { // note has reported it
		return ""
	}
	var all []func()
	for sender := range 4 {
		all = append(all, func() {
			post("confirm", fmt.Sprint(key, "-", sender%2), at+"/confirm", url.Values{
				"version": {"1"}, "columns": {"external_id,name,email,contact"}, "source": {t.name},
			}, sender/2)
		})
	}
	atOnce(append(all, func() {
		Pause(ctx, time.Duration(t.n%4)*100*time.Millisecond)
		for _, verb := range []string{"stop", "continue"} {
			post(verb, key, at+"/"+verb, url.Values{}, t.n, notBegun)
		}
	})...)
	if ctx.Err() != nil {
		return ""
	}
	t.mu.Lock()
	t.imported[path.Base(at)] = imported{t.tenant, wanted}
	t.mu.Unlock()
	for ctx.Err() == nil && !t.importPage(ctx, t.tenant, path.Base(at)).says(">Finished<") {
		Pause(ctx, pace)
	}
	return at
}

// takeImportBack takes an import back by two forms at once, each from two senders.
func (t turn) takeImportBack(ctx context.Context, at string) {
	var all []func()
	for sender := range 4 {
		of := origin{t.tenant, "customer_import.reverse", fmt.Sprint(t.name, "-back-", sender%2)}
		all = append(all, func() {
			t.postImport(ctx, of, at+"/reverse", url.Values{"idempotency_key": {of.key}}, sender/2)
		})
	}
	if ctx.Err() == nil && at != "" {
		atOnce(all...)
	}
}

// postImport sends a form of an import until it is answered, and returns the path of the import; "" for a refusal.
func (p *programs) postImport(ctx context.Context, of origin, to string, form url.Values, first int, texts ...string) string {
	seen := p.submit(ctx, of, to, form, first, importsPath, texts...)
	at := cmp.Or(seen.found(spentForm), seen.next)
	if at != "" {
		p.note(of, path.Base(at))
	}
	return at
}

// importPage returns the page of an import. It is zero if ctx ended before.
func (p *programs) importPage(ctx context.Context, tenant int, id string) page {
	seen, _ := (&visitor{http: p.people[tenant].http, addrs: p.addrs[tenant]}).visit(ctx, importsPath+id, nil)
	return seen
}

// imported is a confirmed import, with the number of customers for each name in its file.
type imported struct {
	tenant int
	wanted map[string]int
}

var importCounts = regexp.MustCompile(`(?s)>Created<.*?>(\d+)<.*?>Already there<.*?>(\d+)<.*?>Left out<.*?>(\d+)<`)

// importsEnd becomes true while the replicas run idle.
var importsEnd = rule{"a running import ends", `
	SELECT format('import %s: %s of %s rows are done', id, done, row_count)
	FROM imports i, LATERAL (
		SELECT COALESCE(sum(created + known + left_out + more), 0) AS done FROM import_chunks c
		WHERE c.tenant_id = i.tenant_id AND import_id = id) AS chunks
	WHERE state = 'running' AND done <> row_count`}

// takeImportsOver ends the wait for the next attempt at an import. It also begins another attempt at slow ones: the replica may
// have been killed, and if not, two workers do the same import.
func takeImportsOver(ctx context.Context, conn *pgx.Conn) {
	_, _ = conn.Exec(ctx, `
		UPDATE river.river_job SET state = 'available', scheduled_at = now(), attempt = 0
		WHERE kind = 'import' AND (state = 'retryable' OR state = 'running' AND attempted_at < now() - interval '2 seconds')`)
}

// finishImports waits until the running imports are finished, and reads their pages.
func (p *programs) finishImports(ctx context.Context, conn *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, settling)
	defer cancel()
	for ctx.Err() == nil {
		left, err := broken(ctx, conn, []rule{importsEnd}, nil)
		if err != nil {
			return err
		}
		if len(left) == 0 {
			break
		}
		takeImportsOver(ctx, conn)
		Pause(ctx, time.Second)
	}
	for id, of := range p.imported {
		seen := p.importPage(ctx, of.tenant, id)
		if counts := importCounts.FindSubmatch(seen.text); counts != nil {
			p.shown[id] = string(bytes.Join(counts[1:], []byte(", ")))
		}
	}
	p.counts["imports finished"] = len(p.shown)
	return nil
}

// importRules are about imports that owners have confirmed, and that the server has.
func importRules() []rule {
	return []rule{
		{"a row is imported once", `
			SELECT format('import %s: %s customers %s, not %s', i.id, made, wanted.name, wanted.times)
			FROM jsonb_each(@imported) AS of (id, names) JOIN imports i ON i.id = of.id::uuid,
				jsonb_each_text(names) AS wanted (name, times), LATERAL (
				SELECT count(*) AS made FROM customers c
				WHERE c.tenant_id = i.tenant_id AND c.source = i.source AND c.name = wanted.name) AS c
			WHERE state = 'running' AND made <> wanted.times::integer`},
		{"the page of an import has its counts", `
			SELECT format('import %s: the page has %s, stored are %s', id, counts, stored)
			FROM jsonb_each_text(@shown) AS of (import, counts) JOIN imports i ON i.id = import::uuid, LATERAL (
				SELECT concat_ws(', ', sum(created), sum(known), sum(left_out)) AS stored FROM import_chunks c
				WHERE c.tenant_id = i.tenant_id AND import_id = id) AS chunks
			WHERE counts <> stored`},
	}
}
