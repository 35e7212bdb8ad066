package torture

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// owners are users of the demo data, one for each business.
var owners = [len(tokens)]string{"acme@onlyonce.test", "globex@onlyonce.test"}

const demoPassword = "only-once-demo" // of the owners

// moving moves an email of each business from one person to the next. An owner adds a person with the email, who joins by the link.
// Then the owner changes that person's email, and adds the next one. The browsers of the earlier persons keep sending requests.
type moving struct {
	seed  uint64
	addrs addresses

	reports

	moves [len(owners)]int
}

func (m *moving) run(ctx context.Context) {
	var all sync.WaitGroup
	for business, owner := range owners {
		all.Go(func() { m.move(ctx, business, newVisitor(m.addrs[business], owner)) })
	}
	all.Wait()
}

// mostFormer is the number of earlier persons that keep sending requests.
const mostFormer = 4

func (m *moving) move(ctx context.Context, business int, owner *visitor) {
	m.follow(ctx, owner, "/login", url.Values{"email": {owner.email}, "password": {demoPassword}})
	email := "sales-" + owner.email
	var former []*visitor
	for n := 0; ctx.Err() == nil; n++ {
		key := fmt.Sprintf("moving-%d-%d", m.seed, n)
		role := [2]string{"member", "owner"}[n%2]
		person := m.follow(ctx, owner, "/people", url.Values{"email": {email}, "role": {role}, "idempotency_key": {key}})
		holder := newVisitor(m.addrs[business], email)
		link := m.open(ctx, owner, person, secretLink)
		m.follow(ctx, holder, "/join", url.Values{"link": {link}, "password": {key + " is my passphrase"}})
		m.look(ctx, append(former, holder))
		version := m.open(ctx, owner, person+"/edit", editedVersion)
		m.follow(ctx, owner, person+"/edit", url.Values{
			"email": {fmt.Sprintf("moved-%d-%s", n, owner.email)}, "role": {role}, "version": {version}, "idempotency_key": {key},
		})
		if ctx.Err() != nil {
			return
		}
		holder.email = ""
		former = append(former, holder)
		former = former[max(0, len(former)-mostFormer):]
		m.look(ctx, former)
		m.mu.Lock()
		m.moves[business]++
		m.mu.Unlock()
	}
}

// look checks the user of each visitor's session: the user who logged in, while that user has the email, and none afterwards.
func (m *moving) look(ctx context.Context, visitors []*visitor) {
	for _, v := range visitors {
		seen, ok := v.visit(ctx, "/account", nil)
		in := seen.status == http.StatusOK
		switch {
		case !ok:
		case !in && (seen.status != http.StatusSeeOther || !strings.HasPrefix(seen.next, "/login")):
			m.reportf(contract, "/account got %d %s: %.2000s", seen.status, seen.next, seen.text)
		case in && v.email == "":
			m.reportf("a session ends when the email of its user moves on", "it still shows an account: %s", whose.Find(seen.text))
		case in && !seen.says(v.email):
			m.reportf("a session shows the user who came in", "not %s, but %s", v.email, whose.Find(seen.text))
		case !in && v.email != "":
			m.reportf("a session shows the user who came in", "%s has to log in again", v.email)
		}
	}
}

// Parts of pages. The first group is the wanted text.
var (
	secretLink    = regexp.MustCompile(`class="secret">\s*<code>[^<]*link=([^<&]+)`)
	editedVersion = regexp.MustCompile(`name="version" value="(\d+)"`)
	whose         = regexp.MustCompile(`[a-z0-9-]+@onlyonce\.test`)
	// A form that is sent again after its result was erased is refused, with a link to its record.
	spentForm = regexp.MustCompile(`(?s)This form already .*?<a class="button" href="([^"]+)">`)
)

// open returns a part of a page. It follows a redirect to a form with a key.
func (m *moving) open(ctx context.Context, v *visitor, path string, wanted *regexp.Regexp) string {
	seen, ok := v.visit(ctx, path, nil)
	if ok && seen.status == http.StatusSeeOther {
		seen, ok = v.visit(ctx, seen.next, nil)
	}
	found := seen.found(wanted)
	if ok && found == "" {
		m.reportf(contract, "%s got %d, without %v: %.2000s", path, seen.status, wanted, seen.text)
	}
	return found
}

// follow sends a form, and returns the URL that the answer leads to; "" if ctx ended before.
func (r *reports) follow(ctx context.Context, v *visitor, path string, form url.Values) string {
	seen, ok := v.visit(ctx, path, form)
	if spent := seen.found(spentForm); spent != "" {
		return spent
	}
	if ok && seen.status != http.StatusSeeOther {
		r.reportf(contract, "%s got %d: %.2000s", path, seen.status, seen.text)
	}
	return seen.next
}

// enough reports whether each email has moved, or a violation was found that may have prevented it.
func (m *moving) enough() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.found) > 0 || !slices.Contains(m.moves[:], 0)
}
