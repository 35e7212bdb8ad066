package torture

import (
	"context"
	"strings"
)

// attach attaches a file to an invoice under two keys at once, each sent by two senders. One wish is fulfilled, and the other is refused.
// Then it removes the file in the same way, after which no request finds it, and attaches it again.
func (t turn) attach(ctx context.Context) {
	billed := t.issued(ctx, "")
	if billed == "" {
		return
	}
	of := invoicesPath + "/" + billed + "/attachments"
	text := encode(map[string]any{"text": strings.Repeat(t.name+" ", 5000)}) // [programs.send] reads JSON
	attach := func(key string) reply {
		file := map[string]any{"name": t.name + ".txt", "content": text}
		return t.twice(ctx, t.wish("attachment.create", key, of, map[string]any{"file": file}, "file-attached"))
	}
	var one, other reply
	atOnce(func() { one = attach("-a") }, func() { other = attach("-b") })
	if one.status != 0 && other.status != 0 && one.ok() == other.ok() {
		t.reportf("a file is attached once", "%s: %d and %d", t.name, one.status, other.status)
	}
	first := one.ID + other.ID // only one has an id
	at := "/api/v1/attachments/" + first
	remove := func(key string) { t.twice(ctx, t.wish("attachment.remove", key, at+"/remove", nil)) }
	atOnce(func() { remove("-a") }, func() { remove("-b") })
	for path, has := range map[string]string{at + "/file": t.name, of: first} {
		seen := t.read(ctx, path, "not-found")
		if has != "" && strings.Contains(string(seen.text), has) {
			t.reportf("no request finds a removed file", "%s: %.300s", path, seen.text)
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
