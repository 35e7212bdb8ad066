package peoplepages_test

import (
	"net/http"
	"net/url"
	"path"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/people/account"
	"onlyonce/internal/people/peoplecases"
	"onlyonce/internal/site/sitetest"
)

// signingUp is a person without a login who has asked for a business, with the address behind the mailed link.
type signingUp struct {
	*sitetest.Client

	link string
}

// signUp asks for a business with an email.
func signUp(b *sitetest.Bundle, email string) signingUp {
	b.Helper()
	ada := b.Browser(b.Replica)
	asked := ada.Press(fill(b, ada, "/sign-ups/new", url.Values{"email": {email}}), "Email a link")
	asked.Want(b, http.StatusSeeOther)
	id := path.Base(asked.Location())
	return signingUp{ada, "/sign-ups/" + id + "/start?link=" + peoplecases.LinkOf(b, id)}
}

// fill opens a form as a browser does, and fills it in.
func fill(b *sitetest.Bundle, c *sitetest.Client, address string, typed url.Values) sitetest.Page {
	b.Helper()
	a := c.Get(address)
	if a.Status == http.StatusSeeOther {
		a = c.Get(a.Location())
	}
	p := b.Page(a)
	for name, values := range typed {
		for _, control := range p.Controls(name) {
			for i, attribute := range control.Attr {
				if attribute.Key == "value" {
					control.Attr[i].Val = values[0]
				}
			}
		}
	}
	return p
}

func business() url.Values {
	return url.Values{"business": {"Lovelace Ltd"}, "name": {"Ada"}, "password": {sitetest.Password}}
}

// TestSignUp: a person signs up and logs in as the owner of a new business. The link opened again, sent again, in a second tab and on
// another device leads to the login. No page shows a flash, which would reveal the requests of others.
func TestSignUp(t *testing.T) {
	b := sitetest.Setup(t)
	b.Page(b.Browser(b.Replica).Get("/login")).LeadsTo("/sign-ups/new")
	ada := signUp(b, " Ada@Example.com")
	for _, path := range []string{strings.Split(ada.link, "/start")[0], ada.link, ada.Get(ada.link).Location()} {
		a := ada.Get(path)
		cache := a.Header.Get("Cache-Control")
		assert.Thatf(t, strings.Contains(cache, "no-store"), "Cache-Control %q of %v", cache, a)
	}
	form, tab := fill(b, ada.Client, ada.link, business()), fill(b, ada.Client, ada.link, business())
	device := b.Browser(b.Serve())
	far := fill(b, device, ada.link, sitetest.Change(business(), "business", "Another Ltd"))
	for _, send := range []func() sitetest.Answer{
		func() sitetest.Answer { return ada.Press(form, "Create business") },
		func() sitetest.Answer { return ada.Press(form, "Create business") }, // a double click, Back, or a repeat by the network
		func() sitetest.Answer { return ada.Press(tab, "Create business") },
		func() sitetest.Answer { return device.Press(far, "Create business") },
	} {
		a := send()
		must.Thatf(t, a.Status == http.StatusSeeOther && a.Location() == "/login?ready" && len(a.Header.Values("Set-Cookie")) == 0, "%v", a)
	}
	b.WantRows(sitetest.Rows{"sign_ups": 1, "sign_up_mails": 1, "users": 1, "intents": 4})
	guessed := sitetest.Change(tab.Typed(), "link", "guessed")
	device.Submit(strings.Split(ada.link, "?")[0], guessed).Want(t, http.StatusConflict, "a stranger without the link")
	b.Page(ada.Get("/login?ready")).Says("Your business is ready. Log in with the password that you have chosen.")
	again := ada.Get(ada.link)
	b.Page(ada.Get(again.Location())).Says("Your business is ready", "Log in as ada@example.com.").LeadsTo("/login")
	key := form.Typed().Get("idempotency_key")
	b.Page(ada.Get(ada.link + "&key=" + key)).Says("This form already started your sign-up.").LeadsTo("/login?ready")
	ada.LogIn(sitetest.Tenant{Email: "ada@example.com"}, sitetest.Password).Want(t, http.StatusSeeOther)
	a := ada.Get("/people")
	assert.Thatf(t, a.Status == http.StatusOK && strings.Contains(a.Body, "Lovelace Ltd") && !strings.Contains(a.Body, b.Acme.Email),
		"the owner's people: %v", a)
	ada.Get("/login").Want(t, http.StatusSeeOther, "the login is gone")
	b.Page(ada.Get(ada.Get("/sign-ups/new").Location())).Says("Sign up", "Log in")
	if a := ada.Get("/settings"); strings.Contains(a.Body, "/sign-ups") {
		t.Errorf("the navigation of users leads to sign-ups: %v", a)
	}
	if a := ada.Get(ada.Get("/sign-ups/new").Location()); strings.Contains(a.Body, "data-kept-for") {
		t.Error("the browser keeps input of a stranger")
	}
}

// TestSignUpTellsNothing: the answers are the same for an email with an account, one with an open sign-up, and an unknown one.
func TestSignUpTellsNothing(t *testing.T) {
	b := sitetest.Setup(t)
	signUp(b, "open@example.com")
	var first string
	for i, email := range []string{b.Acme.Email, "open@example.com", "unknown@example.com"} {
		stranger := b.Browser(b.Replica)
		a := stranger.Press(fill(b, stranger, "/sign-ups/new", url.Values{"email": {email}}), "Email a link")
		shown := stranger.Get(a.Location())
		said := strings.ReplaceAll(b.Page(shown).Text(), email, "EMAIL")
		assert.Thatf(t, a.Status == http.StatusSeeOther && len(a.Header.Values("Set-Cookie")) == 0 && (i == 0 || said == first),
			"%s: %v\n%s\nand for another\n%s", email, a, said, first)
		if first = said; strings.Contains(shown.Body, "/start") {
			t.Errorf("the page has the link: %v", shown)
		}
	}
	b.WantRows(sitetest.Rows{"sign_ups": 3, "sign_up_mails": 3, "intents": 4})
}

// TestSignUpIsRefused for an unsuitable password, which is asked for again, a wrong or old link, and an email that has an account by now.
func TestSignUpIsRefused(t *testing.T) {
	b := sitetest.Setup(t)
	ada, eve := signUp(b, "ada@example.com"), signUp(b, "eve@example.com")
	form := fill(b, ada.Client, ada.link, sitetest.Change(business(), "password", "short", "business", " "))
	p := b.Page(ada.Press(form, "Create business")).Says(
		"Choose a password of at least 12 characters.", "Enter the name of your business, with at least one letter and not as a UUID.")
	typed := p.Typed()
	assert.Thatf(t, typed.Get("name") == "Ada" && typed.Get("password") == "" && typed.Get("link") != "", "came back as %v", typed)
	wrong := strings.Replace(ada.link, "link=", "link=x", 1)
	for _, link := range []string{wrong, strings.Split(ada.link, "?")[0]} {
		a := ada.Get(ada.Get(link).Location())
		page := b.Page(a).Says("This link doesn't work any more.", "Sign up again to get another one.")
		page.LeadsTo("/login")
		page.LeadsTo("/sign-ups/new")
		a.Want(t, http.StatusConflict)
	}
	stolen := sitetest.Change(form.Typed(), "link", peoplecases.LinkOf(b, strings.Split(eve.link, "/")[2]), "password", sitetest.Password)
	eve.Submit(strings.Split(ada.link, "?")[0], stolen).Want(t, http.StatusConflict, "the link of another sign-up")
	form = fill(b, ada.Client, ada.link, business())
	b.Exec(`INSERT INTO users (tenant_id, email, password_hash, role) VALUES ($1, 'ada@example.com', '', 'member')`, b.Acme.ID)
	b.Page(ada.Press(form, "Create business")).Says("ada@example.com has an account.", "No other business was created.").LeadsTo("/login")
	form = fill(b, eve.Client, eve.link, business())
	b.Exec(`UPDATE sign_up_mails SET created_at = now() - interval '25 hours'`)
	b.Page(eve.Press(form, "Create business")).Says("This link doesn't work any more.")
	b.WantRows(sitetest.Rows{"sign_ups": 2, "sign_up_mails": 2, "users": 1, "intents": 2})
}

// TestSignUpInTheDemo shows the link, because the demo sends no mails, and the business is one of the demo.
func TestSignUpInTheDemo(t *testing.T) {
	b := sitetest.Setup(t, sitetest.WithDemo, func(c *sitetest.Config) { c.People.ShowsLinks = true })
	ada := signUp(b, "ada@example.com")
	b.Page(ada.Get(strings.Split(ada.link, "/start")[0])).Says("The demo sends no email to ada@example.com.").LeadsTo(ada.link)
	ada.Press(fill(b, ada.Client, ada.link, business()), "Create business").Want(t, http.StatusSeeOther)
	demo := sitetest.Get[bool](b, `SELECT demo FROM tenants WHERE name = 'Lovelace Ltd'`)
	assert.Thatf(t, demo, "the business would stay without the demo")
}

// TestNoSignUp: without sign-ups there are no pages, and no operations.
func TestNoSignUp(t *testing.T) {
	b := sitetest.Setup(t, func(c *sitetest.Config) { c.People.SignUp = false })
	stranger := b.Browser(b.Replica)
	stranger.Get("/sign-ups/new").Want(t, http.StatusNotFound)
	if a := stranger.Get("/login"); strings.Contains(a.Body, "/sign-ups") {
		t.Error(a)
	}
	if a := stranger.Get("/rules"); strings.Contains(a.Body, "sign-up") {
		t.Error(a)
	}
}

// TestStrangersAreLimited: an address sends thirty forms a minute, and opens as many as it likes.
func TestStrangersAreLimited(t *testing.T) {
	b := sitetest.Setup(t)
	stranger := b.Browser(b.Replica)
	for range 30 {
		stranger.Submit("/sign-ups", nil)
	}
	refused := stranger.Submit("/sign-ups", url.Values{"email": {"ada@example.com"}, "idempotency_key": {sitetest.Key}})
	assert.Thatf(t, refused.Status == http.StatusTooManyRequests && refused.Header.Get("Retry-After") != "", "%v", refused)
	stranger.Get("/sign-ups/new?key="+sitetest.Key).Want(t, http.StatusOK)
	b.WantRows(sitetest.Rows{})
	assert.Equal(t, sitetest.Get[int](b, `SELECT count(*) FROM tenants WHERE id = $1`, account.Strangers),
		0, "the tenant of strangers has a row")
}
