package torture

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// shownLink is the link of a sign-up, which the demo shows in place of a mail.
var shownLink = regexp.MustCompile(`href="(/sign-ups/[^"]+/start\?link=[^"]+)"`)

// signUp signs a stranger up. Two windows and another device ask at once, and then begin the business at once. Two of the three forms have
// one key. In the end there must be one sign-up with one business.
func (p *programs) signUp(ctx context.Context, tenant, n int) {
	name := p.named("sign-up", n)
	all := func(path string, form func(key string) url.Values) (next [3]string) {
		var send []func()
		for i, key := range []string{"-a", "-a", "-b"} {
			send = append(send, func() { next[i] = p.fillIn(ctx, tenant, path, form(name+key), i) })
		}
		atOnce(send...)
		return next
	}
	asked := all("/sign-ups", func(key string) url.Values {
		return url.Values{"idempotency_key": {key}, "email": {name + "@example.com"}}
	})
	if ctx.Err() != nil {
		return
	}
	if asked[0] != asked[1] || asked[0] != asked[2] {
		p.reportf("one sign-up for an email", "%s led to %v", name, asked)
		return
	}
	stranger := newVisitor(p.addrs[tenant], "")
	seen, ok := stranger.visit(ctx, asked[0], nil)
	link := shownLink.FindStringSubmatch(seen.text)
	if !ok {
		return
	}
	if link == nil {
		p.reportf("every answer is one that the contract knows", "%s got %d: %.2000s", asked[0], seen.status, seen.text)
		return
	}
	path, secret, _ := strings.Cut(link[1], "?link=")
	began := all(path, func(key string) url.Values {
		return url.Values{
			"idempotency_key": {key}, "link": {secret}, "business": {name + key}, "password": {name + " is my passphrase"},
		}
	})
	if ctx.Err() != nil {
		return
	}
	p.mu.Lock()
	p.signedUp = append(p.signedUp, name+"@example.com")
	p.counts["sign_up.start"]++
	p.mu.Unlock()
	for _, next := range began {
		if !strings.HasPrefix(next, "/login") {
			p.reportf("every answer is one that the contract knows", "%s led to %v", name, began)
		}
	}
	Pause(ctx, time.Second) // each business is another one for the clock
}

// fillIn sends a form of a stranger until it is answered, and returns the path to which the answer leads; "" if ctx ended before.
func (p *programs) fillIn(ctx context.Context, tenant int, path string, form url.Values, first int) (next string) {
	v := newVisitor(p.addrs[tenant], "")
	v.sent = first
	for ctx.Err() == nil {
		seen, ok := v.visit(ctx, path, form)
		spent := spentForm.FindStringSubmatch(seen.text)
		switch {
		case !ok:
		case seen.status == http.StatusSeeOther:
			return seen.next
		case spent != nil:
			return spent[1]
		default:
			p.reportf("every answer is one that the contract knows", "%s got %d: %.2000s", path, seen.status, seen.text)
			return ""
		}
	}
	return ""
}

// judgeSignUps checks that each acknowledged business is stored, with a user who can log in.
func (p *programs) judgeSignUps(ctx context.Context, conn *pgx.Conn) error {
	missing, err := conn.Query(ctx, `
		SELECT email FROM unnest($1::text[]) AS asked (email)
		WHERE (
			SELECT count(*) FROM users u JOIN tenants t ON t.id = u.tenant_id
			WHERE u.email = asked.email AND u.role = 'owner' AND t.sign_up_id IS NOT NULL) <> 1`, p.signedUp)
	if err != nil {
		return fmt.Errorf("read the owners of businesses: %w", err)
	}
	var email string
	if _, err := pgx.ForEachRow(missing, []any{&email}, func() error {
		p.reportf("a sign-up begins one business", "%s has none, or several", email)
		return nil
	}); err != nil {
		return fmt.Errorf("read the owners of businesses: %w", err)
	}
	return nil
}

// signUpRules are about sign-ups and their businesses.
func signUpRules() []rule {
	return []rule{
		{"one sign-up for an email", `
			SELECT format('%s times %s', count(*), email) FROM sign_ups GROUP BY tenant_id, email HAVING count(*) > 1`},
		{"a sign-up begins one business", `
			SELECT format('sign-up of %s: %s businesses', s.email, count(u.id))
			FROM sign_ups s LEFT JOIN tenants t ON t.sign_up_id = s.id LEFT JOIN users u ON u.tenant_id = t.id AND u.email = s.email
			GROUP BY s.tenant_id, s.id HAVING count(u.id) <> (s.started_at IS NOT NULL)::integer
			UNION ALL
			SELECT format('business %s', id) FROM tenants
			WHERE sign_up_id IS NOT NULL AND sign_up_id NOT IN (SELECT id FROM sign_ups)`},
		{"one mail about a sign-up in ten minutes", `
			SELECT format('mails %s and %s', m.id, n.id)
			FROM sign_up_mails m JOIN sign_up_mails n USING (tenant_id, sign_up_id)
			WHERE m.id < n.id AND abs(extract(epoch FROM m.created_at - n.created_at)) < 600`},
	}
}
