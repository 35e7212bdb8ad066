package torture

import (
	"context"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// shownLink is the link of a sign-up, which the demo shows in place of a mail.
var shownLink = regexp.MustCompile(`href="(/sign-ups/[^"]+/start\?link=[^"]+)"`)

// signUp signs a stranger up. Two windows and another device ask at once, and then begin the business at once. Two of the three forms have
// one key. In the end there must be one sign-up with one business.
func (t turn) signUp(ctx context.Context) {
	all := func(path string, form func(key string) url.Values) (next [3]string) {
		var send []func()
		for i, key := range []string{"-a", "-a", "-b"} {
			send = append(send, func() {
				v := newVisitor(t.strangers, "")
				v.sent = i
				next[i] = t.follow(ctx, v, path, form(t.name+key))
			})
		}
		atOnce(send...)
		return next
	}
	asked := all("/sign-ups", func(key string) url.Values {
		return url.Values{"idempotency_key": {key}, "email": {t.name + "@example.com"}}
	})
	if ctx.Err() != nil {
		return
	}
	if asked[0] != asked[1] || asked[0] != asked[2] {
		t.reportf("one sign-up for an email", "%s led to %v", t.name, asked)
		return
	}
	seen, ok := newVisitor(t.strangers, "").visit(ctx, asked[0], nil)
	if !ok {
		return
	}
	link := seen.found(shownLink)
	if link == "" {
		t.reportf(contract, "%s got %d: %.2000s", asked[0], seen.status, seen.text)
		return
	}
	path, secret, _ := strings.Cut(link, "?link=")
	began := all(path, func(key string) url.Values {
		return url.Values{
			"idempotency_key": {key}, "link": {secret}, "business": {key}, "password": {t.name + " is my passphrase"},
		}
	})
	if ctx.Err() != nil {
		return
	}
	t.mu.Lock()
	t.signedUp = append(t.signedUp, t.name+"@example.com")
	t.counts["sign_up.start"]++
	t.mu.Unlock()
	for _, next := range began {
		if !strings.HasPrefix(next, "/login") {
			t.reportf(contract, "%s led to %v", t.name, began)
		}
	}
	Pause(ctx, time.Second) // each business is another one for the clock
}
