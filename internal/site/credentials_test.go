package site_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/people/account"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/value/email"
)

// holder is an owner of acme with every kind of credential, who was added by another owner.
type holder struct {
	*bundle

	at       *replica
	by       *client    // the other owner
	who      tenant     // of acme, with the email of the holder, and a token created by the holder
	path     string     // of the page about the holder
	device   *client    // logged in
	form     url.Values // of a customer, opened by the holder
	link     string     // open
	password string
}

// works holds the credentials of the holder that still work.
type works struct {
	session  string // "owner" or "member"; "" if it has ended
	form     bool   // whether it is saved
	token    bool
	password bool // with the current email
	link     bool // whether it sets a password
}

// holder adds a holder with an email.
func (b *bundle) holder(at *replica, by *client, email string) *holder {
	b.Helper()
	h := &holder{bundle: b, at: at, by: by, who: b.acme, device: b.browser(at), password: "the passphrase of " + email}
	h.who.email = email
	h.path = h.join(email, h.password)
	if a := h.device.logIn(h.who, h.password); a.status != http.StatusSeeOther {
		b.Fatal(a)
	}
	made := h.device.submit("/tokens", url.Values{"name": {"of " + email}, "role": {"member"}, "idempotency_key": {"token " + email}})
	h.who.token = b.page(h.device.get(made.location())).secretOn()
	h.press("New link")
	h.link = secretIn(b.page(by.get(h.path)).secretOn())
	h.form = change(h.opened(h.device, "/customers/new"), "name", "Customer of "+email, "email", "customer-of-"+email)
	return h
}

// join adds an owner and lets them join. It returns the path of the page about them.
func (h *holder) join(email, password string) string {
	h.Helper()
	made := h.by.submit("/people", url.Values{
		"email": {email}, "role": {"owner"}, "idempotency_key": {uuid.NewString()},
	})
	link := secretIn(h.page(h.by.get(made.location())).secretOn())
	joined := h.browser(h.at).submit("/join", url.Values{"link": {link}, "password": {password}})
	if joined.status != http.StatusSeeOther {
		h.Fatal(joined)
	}
	path, _, _ := strings.Cut(made.location(), "?")
	return path
}

// opened returns the fields of a form, opened with a new key.
func (h *holder) opened(by *client, path string) url.Values {
	h.Helper()
	return h.page(by.get(by.get(path).location())).typed()
}

func (h *holder) press(button string) {
	h.Helper()
	if a := h.by.pressAny(h.page(h.by.get(h.path)), button); a.status != http.StatusSeeOther {
		h.Fatal(a)
	}
}

func (h *holder) edit(field, value string) {
	h.Helper()
	form := change(h.opened(h.by, h.path+"/edit"), field, value)
	if a := h.by.submit(h.path+"/edit", form); a.status != http.StatusSeeOther {
		h.Fatal(a)
	}
}

// moves changes the holder's email.
func (h *holder) moves() {
	h.edit("email", "moved-"+h.who.email)
	h.who.email = "moved-" + h.who.email
}

// works checks every credential.
func (h *holder) works() (w works) {
	h.Helper()
	program := h.program(h.at, h.who)
	w.token = program.get("/api/v1/customers").status == http.StatusOK
	if h.device.isIn() {
		p := h.page(h.device.get("/account")).says(h.who.email)
		w.session = "member"
		if strings.Contains(p.text(), "Owner") {
			w.session = "owner"
		}
		if manages := h.device.get("/people").status == http.StatusOK; manages != (w.session == "owner") {
			h.Errorf("%s manages people: %v", w.session, manages)
		}
	}
	w.form = h.device.submit("/customers", h.form).status == http.StatusSeeOther
	if stored := get[int](h.bundle, `SELECT count(*) FROM customers WHERE email = $1`, h.form.Get("email")); (stored == 1) != w.form {
		h.Errorf("the form was saved: %v, and there are %d customers", w.form, stored)
	}
	// The form belongs to the tenant, where another user may send it.
	if a := h.by.submit("/customers", h.form); a.status != http.StatusSeeOther {
		h.Errorf("the form, sent by another owner: %v", a)
	}
	w.password = h.browser(h.at).logIn(h.who, h.password).status == http.StatusSeeOther
	chosen := h.browser(h.at).submit("/join", url.Values{"link": {h.link}, "password": {"chosen with the link"}})
	w.link = chosen.status == http.StatusSeeOther
	return w
}

// TestChangesOfAUser: which of a user's earlier credentials each change of the user leaves valid. No cell is about another
// user: the next user with the email can use no credential.
func TestChangesOfAUser(t *testing.T) {
	pgtest.Long(t)
	b := setup(t)
	for _, c := range []struct {
		name   string
		change func(*holder)
		want   works
	}{
		{"nothing", func(*holder) {}, works{"owner", true, true, true, true}},
		{"name", func(h *holder) { h.edit("name", "Ada King") }, works{"owner", true, true, true, true}},
		{"email", (*holder).moves, works{"", false, true, true, false}},
		{"email and back", func(h *holder) {
			before := h.who.email
			h.moves()
			h.edit("email", before)
			h.who.email = before
		}, works{"", false, true, true, false}},
		{"role", func(h *holder) { h.edit("role", "member") }, works{"member", true, true, true, true}},
		{"disabled", func(h *holder) { h.press("Disable") }, works{"", false, true, false, false}},
		{"disabled by the operator", func(h *holder) { h.operator(true) }, works{"", false, true, false, false}},
		{"enabled again", func(h *holder) {
			h.press("Disable")
			h.press("Enable")
		}, works{"", false, true, true, false}},
		{"enabled again by the operator", func(h *holder) {
			h.operator(true)
			h.operator(false)
		}, works{"", false, true, true, false}},
		{"password", func(h *holder) {
			elsewhere := h.browser(h.at)
			elsewhere.logIn(h.who, h.password)
			form := change(h.page(elsewhere.get("/account")).typed(), "password", h.password, "new_password", "another passphrase")
			if a := elsewhere.submit("/account", form); a.status != http.StatusSeeOther || !elsewhere.isIn() {
				h.Fatal(a)
			}
		}, works{"", false, true, false, false}},
		{"password by the operator", func(h *holder) {
			if err := account.SetPassword(h.Context(), h.at.pool, email.Address(h.who.email), "another passphrase"); err != nil {
				h.Fatal(err)
			}
		}, works{"", false, true, false, false}},
		{"link withdrawn", func(h *holder) { h.press("Withdraw link") }, works{"owner", true, true, true, false}},
		{"another link", func(h *holder) {
			h.press("Withdraw link")
			h.press("New link")
		}, works{"owner", true, true, true, false}},
		{"link used", func(h *holder) {
			a := h.browser(h.at).submit("/join", url.Values{"link": {h.link}, "password": {"another passphrase"}})
			if a.status != http.StatusSeeOther {
				h.Fatal(a)
			}
		}, works{"", false, true, false, false}},
		{"removed", (*holder).removed, works{"", false, true, false, false}},
		{"the email goes to somebody else", func(h *holder) {
			before := h.who.email
			h.moves()
			h.join(before, "of the next holder")
		}, works{"", false, true, true, false}},
		{"the email goes to somebody else, who is removed first", func(h *holder) {
			h.removed()
			h.join(h.who.email, "of the next holder")
		}, works{"", false, true, false, false}},
		{"two swap their emails", func(h *holder) {
			before := h.who.email
			h.moves()
			other := &holder{bundle: h.bundle, at: h.at, by: h.by, who: h.who, path: h.join("other-"+before, "of the other")}
			other.edit("email", before)
			h.edit("email", "other-"+before)
			h.who.email = "other-" + before
		}, works{"", false, true, true, false}},
	} {
		at := b.serveOn(b.db.Pool) // a new server, because its limits begin at 0
		h := b.holder(at, b.person(at, b.acme), strings.ReplaceAll(strings.ReplaceAll(c.name, " ", "-"), ",", "")+"@one.test")
		c.change(h)
		if got := h.works(); got != c.want {
			t.Errorf("%s leaves %+v, want %+v", c.name, got, c.want)
		}
	}
}

// removed deletes the holder, which only an operator can.
func (h *holder) removed() { h.exec(`DELETE FROM users WHERE email = $1`, h.who.email) }

func (h *holder) operator(disables bool) {
	h.Helper()
	changed, err := account.SetDisabled(h.Context(), h.at.pool, email.Address(h.who.email), disables)
	if err != nil || !changed {
		h.Fatalf("%v, %v", changed, err)
	}
}

// TestKeptTextFollowsThePerson: a kept form is for the person who typed it, even after a change of the email.
func TestKeptTextFollowsThePerson(t *testing.T) {
	b := setup(t)
	h := b.holder(b.replica, b.person(b.replica, b.acme), "sales@one.test")
	keptFor := func(email, password string) string {
		t.Helper()
		person := b.browser(b.replica)
		person.logIn(tenant{email: email}, password)
		form := b.page(person.get(person.get("/customers/new").location()))
		for _, n := range all(form.root, "div") {
			if name, ok := attr(n, "data-kept-for"); ok {
				return name
			}
		}
		t.Fatalf("nothing is kept: %s", form.text())
		return ""
	}
	before := keptFor("sales@one.test", h.password)
	h.moves()
	h.join("sales@one.test", "of the next holder")
	if moved := keptFor(h.who.email, h.password); moved != before {
		t.Errorf("kept for %q, and with another email for %q", before, moved)
	}
	if next := keptFor("sales@one.test", "of the next holder"); next == before {
		t.Error("what was kept is offered to the next user with the email")
	}
}
