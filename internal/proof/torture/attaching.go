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
