package torture

import (
	"context"
	"net/http"
	"strings"
)

// attach attaches a file to an invoice under two keys at once, each sent by two senders. One wish is fulfilled, and the other is refused.
// Then it removes the file in the same way, after which no request finds it, and attaches it again.
func (p *programs) attach(ctx context.Context, tenant, n int) {
	name := p.named("attach", n)
	billed := p.issued(ctx, tenant, name, n)
	if billed == "" {
		return
	}
	text := encode(map[string]any{"text": strings.Repeat(name+" ", 5000)}) // [programs.send] reads JSON
	attach := func(key string) reply {
		return p.twice(ctx, wish{
			tenant: tenant, operation: "attachment.create", key: name + key, path: invoicesPath + "/" + billed + "/attachments",
			body: map[string]any{"file": map[string]any{"name": name + ".txt", "content": text}}, refusals: []string{"file-attached"},
		})
	}
	var one, other reply
	atOnce(func() { one = attach("-a") }, func() { other = attach("-b") })
	if one.status != 0 && other.status != 0 && one.ok() == other.ok() {
		p.reportf("a file is attached once", "%s: %d and %d", name, one.status, other.status)
	}
	first := one.ID + other.ID // only one has an id
	at := "/api/v1/attachments/" + first
	remove := func(key string) {
		p.twice(ctx, wish{tenant: tenant, operation: "attachment.remove", key: name + key, path: at + "/remove"})
	}
	atOnce(func() { remove("-a") }, func() { remove("-b") })
	for path, has := range map[string]string{at + "/file": name, invoicesPath + "/" + billed + "/attachments": first} {
		seen := p.send(ctx, wish{tenant: tenant, method: http.MethodGet, path: path, refusals: []string{"not-found"}}, n)
		if has != "" && strings.Contains(string(seen.text), has) {
			p.reportf("no request finds a removed file", "%s: %.300s", path, seen.text)
		}
	}
	// It is refused if an abandoned attempt of the refused wish is carried out only now.
	attach("-again")
}

// fileRules are about the files of invoices.
func fileRules() []rule {
	return []rule{
		{"a file is attached once", `
			SELECT format('%s times a file at invoice %s', count(*), invoice_id)
			FROM attachments WHERE removed_at IS NULL GROUP BY tenant_id, invoice_id, file_digest HAVING count(*) > 1`},
		{"a file is removed once", `
			SELECT format('attachment %s: removed at %s, by %s intents with %s effects', id, removed_at, intents, effects)
			FROM attachments a,
				LATERAL (SELECT count(*) AS intents, count(f.key) AS effects
					FROM intents o LEFT JOIN intent_effects f
						ON (f.tenant_id, f.record_id, f.operation, f.key) = (o.tenant_id, a.invoice_id, o.operation, o.key)
					WHERE (o.tenant_id, o.record_id, o.operation, outcome) = (a.tenant_id, id, 'attachment.remove', 'changed')) AS o
			WHERE (intents, effects) <> ((removed_at IS NOT NULL)::int, (removed_at IS NOT NULL)::int)`},
		{"every attachment has its content", `
			SELECT format('attachment %s', id)
			FROM attachments a LEFT JOIN file_contents c ON (c.tenant_id, c.digest) = (a.tenant_id, a.file_digest)
			WHERE sha256(c.content) IS DISTINCT FROM a.file_digest`},
	}
}
