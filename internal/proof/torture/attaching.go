package torture

import (
	"context"
	"strings"
)

// attach attaches a file to an invoice under two keys at once, each sent by two senders. One wish is fulfilled, and the other is refused.
func (p *programs) attach(ctx context.Context, tenant, n int) {
	name := p.named("attach", n)
	billed := p.issued(ctx, tenant, name, n)
	if billed == "" {
		return
	}
	file := map[string]any{"name": name + ".txt", "content": []byte(strings.Repeat(name+"\n", 5000))}
	attach := func(key string) reply {
		return p.twice(ctx, wish{
			tenant: tenant, operation: "attachment.create", key: name + key, path: invoicesPath + "/" + billed + "/attachments",
			body: map[string]any{"file": file}, refusals: []string{"file-attached"},
		})
	}
	var one, other reply
	atOnce(func() { one = attach("-a") }, func() { other = attach("-b") })
	if one.status != 0 && other.status != 0 && one.ok() == other.ok() {
		p.reportf("a file is attached once", "%s: %d and %d", name, one.status, other.status)
	}
}

// fileRules are about the files of invoices.
func fileRules() []rule {
	return []rule{
		{"a file is attached once", `
			SELECT format('%s times a file at invoice %s', count(*), invoice_id)
			FROM attachments WHERE removed_at IS NULL GROUP BY tenant_id, invoice_id, file_digest HAVING count(*) > 1`},
		{"every attachment has its content", `
			SELECT format('attachment %s', id)
			FROM attachments a LEFT JOIN file_contents c ON (c.tenant_id, c.digest) = (a.tenant_id, a.file_digest)
			WHERE sha256(c.content) IS DISTINCT FROM a.file_digest`},
	}
}
