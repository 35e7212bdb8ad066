package peoplepages_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/people/account"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/value/email"

	"github.com/google/uuid"

	"onlyonce/internal/site/sitetest"
)

// holder is an owner of acme with every kind of credential, who was added by another owner.
type holder struct {
	*sitetest.Bundle

	at       *sitetest.Replica
	by       *sitetest.Client // the other owner
	who      sitetest.Tenant  // of acme, with the email of the holder, and a token created by the holder
	path     string           // of the page about the holder
	device   *sitetest.Client // logged in
	form     url.Values       // of a customer, opened by the holder
	link     string           // open
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

func newHolder(b *sitetest.Bundle, at *sitetest.Replica, by *sitetest.Client, email string) *holder {
	b.Helper()
	h := &holder{Bundle: b, at: at, by: by, who: b.Acme, device: b.Browser(at), password: "the passphrase of " + email}
	h.who.Email = email
	h.path = h.join(email, h.password)
	h.device.LogIn(h.who, h.password).Want(b, http.StatusSeeOther)
	made := h.device.Submit("/tokens", url.Values{"name": {"of " + email}, "role": {"member"}, "idempotency_key": {"token " + email}})
	h.who.Token = b.Page(h.device.Get(made.Location())).SecretOn()
	h.press("New link")
	h.link = sitetest.SecretIn(b.Page(by.Get(h.path)).SecretOn())
	h.form = sitetest.Change(h.opened(h.device, "/customers/new"), "name", "Customer of "+email, "email", "customer-of-"+email)
	return h
}

// join adds an owner and lets them join. It returns the path of the page about them.
func (h *holder) join(email, password string) string {
	h.Helper()
	made := h.by.Submit("/people", url.Values{
		"email": {email}, "role": {"owner"}, "idempotency_key": {uuid.NewString()},
	})
	link := sitetest.SecretIn(h.Page(h.by.Get(made.Location())).SecretOn())
	joined := h.Browser(h.at).Submit("/join", url.Values{"link": {link}, "password": {password}})
	joined.Want(h, http.StatusSeeOther)
	path, _, _ := strings.Cut(made.Location(), "?")
	return path
}

// opened returns the fields of a form, opened with a new key.
func (h *holder) opened(by *sitetest.Client, path string) url.Values {
	h.Helper()
	return h.Page(by.Get(by.Get(path).Location())).Typed()
}

func (h *holder) press(button string) {
	h.Helper()
	h.by.PressAny(h.Page(h.by.Get(h.path)), button).Want(h, http.StatusSeeOther)
}

func (h *holder) edit(field, value string) {
	h.Helper()
	form := sitetest.Change(h.opened(h.by, h.path+"/edit"), field, value)
	h.by.Submit(h.path+"/edit", form).Want(h, http.StatusSeeOther)
}

// moves changes the holder's email.
func (h *holder) moves() {
	h.edit("email", "moved-"+h.who.Email)
	h.who.Email = "moved-" + h.who.Email
}

// works checks every credential.
func (h *holder) works() (w works) {
	h.Helper()
	program := h.Program(h.at, h.who)
	w.token = program.Get("/api/v1/customers").Status == http.StatusOK
	if isIn(h.device) {
		p := h.Page(h.device.Get("/account")).Says(h.who.Email)
		w.session = "member"
		if strings.Contains(p.Text(), "Owner") {
			w.session = "owner"
		}
		assert.Equal(h, h.device.Get("/people").Status == http.StatusOK, w.session == "owner", w.session, "manages people")
	}
	w.form = h.device.Submit("/customers", h.form).Status == http.StatusSeeOther
	stored := sitetest.Get[int](h.Bundle, `SELECT count(*) FROM customers WHERE email = $1`,
		h.form.Get("email"))
	assert.Thatf(h, (stored == 1) == w.form, "the form was saved: %v, and there are %d customers", w.form, stored)
	// The form belongs to the tenant, where another user may send it.
	h.by.Submit("/customers", h.form).Want(h, http.StatusSeeOther, "the form, sent by another owner")
	w.password = h.Browser(h.at).LogIn(h.who, h.password).Status == http.StatusSeeOther
	chosen := h.Browser(h.at).Submit("/join", url.Values{"link": {h.link}, "password": {"chosen with the link"}})
	w.link = chosen.Status == http.StatusSeeOther
	return w
}

// TestChangesOfAUser: which of a user's earlier credentials each change of the user leaves valid. No cell is about another
// user: the next user with the email can use no credential.
func TestChangesOfAUser(t *testing.T) {
	pgtest.Long(t)
	b := sitetest.Setup(t)
	for _, c := range []struct {
		name   string
		change func(*holder)
		want   works
	}{
		{"nothing", func(*holder) {}, works{"owner", true, true, true, true}},
		{"name", func(h *holder) { h.edit("name", "Ada King") }, works{"owner", true, true, true, true}},
		{"email", (*holder).moves, works{"", false, true, true, false}},
		{"email and back", func(h *holder) {
			before := h.who.Email
			h.moves()
			h.edit("email", before)
			h.who.Email = before
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
			elsewhere := h.Browser(h.at)
			elsewhere.LogIn(h.who, h.password)
			form := sitetest.Change(h.Page(elsewhere.Get("/account")).Typed(), "password", h.password, "new_password", "another passphrase")
			a := elsewhere.Submit("/account", form)
			must.Thatf(h, a.Status == http.StatusSeeOther && isIn(elsewhere), "%v", a)
		}, works{"", false, true, false, false}},
		{"password by the operator", func(h *holder) {
			must.OK(h, account.SetPassword(h.Context(), h.at.Pool, email.Address(h.who.Email), "another passphrase"))
		}, works{"", false, true, false, false}},
		{"link withdrawn", func(h *holder) { h.press("Withdraw link") }, works{"owner", true, true, true, false}},
		{"another link", func(h *holder) {
			h.press("Withdraw link")
			h.press("New link")
		}, works{"owner", true, true, true, false}},
		{"link used", func(h *holder) {
			a := h.Browser(h.at).Submit("/join", url.Values{"link": {h.link}, "password": {"another passphrase"}})
			a.Want(h, http.StatusSeeOther)
		}, works{"", false, true, false, false}},
		{"removed", (*holder).removed, works{"", false, true, false, false}},
		{"the email goes to somebody else", func(h *holder) {
			before := h.who.Email
			h.moves()
			h.join(before, "of the next holder")
		}, works{"", false, true, true, false}},
		{"the email goes to somebody else, who is removed first", func(h *holder) {
			h.removed()
			h.join(h.who.Email, "of the next holder")
		}, works{"", false, true, false, false}},
		{"two swap their emails", func(h *holder) {
			before := h.who.Email
			h.moves()
			other := &holder{Bundle: h.Bundle, at: h.at, by: h.by, who: h.who, path: h.join("other-"+before, "of the other")}
			other.edit("email", before)
			h.edit("email", "other-"+before)
			h.who.Email = "other-" + before
		}, works{"", false, true, true, false}},
	} {
		at := b.ServeOn(b.DB.Pool) // a new server, because its limits begin at 0
		h := newHolder(b, at, b.Person(at, b.Acme), strings.ReplaceAll(strings.ReplaceAll(c.name, " ", "-"), ",", "")+"@one.test")
		c.change(h)
		assert.Equal(t, h.works(), c.want, c.name)
	}
}

// removed deletes the holder, which only an operator can.
func (h *holder) removed() { h.Exec(`DELETE FROM users WHERE email = $1`, h.who.Email) }

func (h *holder) operator(disables bool) {
	h.Helper()
	changed, err := account.SetDisabled(h.Context(), h.at.Pool, email.Address(h.who.Email), disables)
	must.Thatf(h, err == nil && changed, "%v, %v", changed, err)
}

// TestKeptTextFollowsThePerson: a kept form is for the person who typed it, even after a change of the email.
func TestKeptTextFollowsThePerson(t *testing.T) {
	b := sitetest.Setup(t)
	h := newHolder(b, b.Replica, b.Person(b.Replica, b.Acme), "sales@one.test")
	keptFor := func(email, password string) string {
		t.Helper()
		person := b.Browser(b.Replica)
		person.LogIn(sitetest.Tenant{Email: email}, password)
		form := b.Page(person.Get(person.Get("/customers/new").Location()))
		for _, n := range sitetest.Elements(form.Root, "div") {
			if name, ok := sitetest.Attr(n, "data-kept-for"); ok {
				return name
			}
		}
		t.Fatalf("nothing is kept: %s", form.Text())
		return ""
	}
	before := keptFor("sales@one.test", h.password)
	h.moves()
	h.join("sales@one.test", "of the next holder")
	assert.Equal(t, keptFor(h.who.Email, h.password), before, "kept, with another email")
	next := keptFor("sales@one.test", "of the next holder")
	assert.Thatf(t, next != before, "what was kept is offered to the next user with the email")
}
