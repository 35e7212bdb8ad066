package app_test

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/http"
	netmail "net/mail"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"onlyonce/internal/app"
	"onlyonce/internal/app/apptest"
	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/mailer"
	"onlyonce/internal/mailer/mailertest"
	"onlyonce/internal/must"
	"onlyonce/internal/people/account"
	"onlyonce/internal/people/secret"
	"onlyonce/internal/people/user"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/value/email"
	"onlyonce/internal/value/secretkey"
	"onlyonce/templates"
)

// linking returns a bundle whose app mails links to choose a password.
func linking(t *testing.T, smtp string, settings ...func(*app.Config)) *bundle {
	t.Helper()
	return &bundle{apptest.Mailing(t, smtp, append([]func(*app.Config){func(c *app.Config) {
		c.SecretKey, c.PublicURL = linkKey(t), "https://invoices.example.com"
	}}, settings...)...)}
}

func linkKey(t *testing.T) secretkey.Key {
	t.Helper()
	key, err := secretkey.Parse(strings.Repeat("MDEy", 10) + "MDE=")
	must.OK(t, err)
	return key
}

// invite adds Ada with a link, and mails it if send is set. The same key does it once.
func (b *bundle) invite(key string, send bool) (user.User, error) {
	k, err := idempotency.ParseKey(key)
	if err != nil {
		return user.User{}, err
	}
	store := &idempotency.Store{Pool: b.DB.Pool, Wait: 10 * time.Second, Timeout: 20 * time.Second}
	done, err := user.Create.Do(b.Context(), store,
		idempotency.Intent{Tenant: uuid.MustParse(apptest.Company), Key: k, Actor: "kim@example.com"},
		user.Draft{
			Email: email.Address("ada@example.com"), Name: "Ada", Role: "owner",
			Invitation: user.Invitation{Seed: secret.FromKey(linkKey(b.T)), Send: send},
		})
	return done.Value, err
}

// linkMail returns the outcome of the last mail with a link, once it is final.
func (b *bundle) linkMail() (state, reason string) {
	b.Helper()
	must.Until(b, "the mail is settled", func() bool {
		err := b.DB.Admin().QueryRow(b.Context(), `SELECT state, reason FROM link_mails ORDER BY id DESC LIMIT 1`).Scan(&state, &reason)
		return err == nil && state != mailer.StateQueued
	})
	return state, reason
}

func texts(t *testing.T, message *netmail.Message) (plain, html string) {
	t.Helper()
	_, parameters, err := mime.ParseMediaType(message.Header.Get("Content-Type"))
	must.OK(t, err)
	parts := multipart.NewReader(message.Body, parameters["boundary"])
	for _, into := range []*string{&plain, &html} {
		part, err := parts.NextRawPart()
		must.OK(t, err)
		read, err := io.ReadAll(quotedprintable.NewReader(part))
		must.OK(t, err)
		*into = strings.ReplaceAll(string(read), "\r\n", "\n")
	}
	return plain, html
}

func linkIn(t *testing.T, text string) string {
	t.Helper()
	_, rest, ok := strings.Cut(text, "/join?link=")
	must.Thatf(t, ok, "no link in\n%s", text)
	return rest[:43]
}

// TestInvitationIsMailed once, however often it is requested, and works once. The link is in the mail only.
func TestInvitationIsMailed(t *testing.T) {
	s := mailertest.Start(t, nil, nil)
	b := linking(t, s.URL, func(c *app.Config) { c.PublicURL += "/books" })
	const hostile = "Acme \"Studio\"\r\nBcc: eve@example.com\r\n\r\n<b>, Ünï"
	must.Exec(t, b.DB.Admin(), `UPDATE tenants SET name = $1 WHERE id = $2`, hostile, apptest.Company)
	var gate, all sync.WaitGroup
	gate.Add(1)
	for range 20 {
		all.Go(func() {
			gate.Wait()
			_, err := b.invite("one", true)
			assert.Thatf(t, err == nil, "%v", err)
		})
	}
	gate.Done()
	all.Wait()
	if state, reason := b.linkMail(); state != mailer.StateSent || reason != "" || len(s.Messages()) != 1 {
		t.Fatalf("%s %s, %d messages", state, reason, len(s.Messages()))
	}
	message := s.Messages()[0]
	to, err := message.Header.AddressList("To")
	if err != nil || len(to) != 1 || to[0].Address != "ada@example.com" || message.Header.Get("Auto-Submitted") != "auto-generated" ||
		!strings.HasSuffix(message.Header.Get("Message-Id"), "@example.com>") || message.Header.Get("Bcc") != "" {
		t.Errorf("%v, %v", message.Header, err)
	}
	plain, html := texts(t, message)
	for _, want := range []string{
		"Hello,\n", "kim@example.com has invited you to Acme", "It works once, until ",
		"log in as ada@example.com", "https://invoices.example.com/books/join?link=",
	} {
		assert.Thatf(t, strings.Contains(plain, want), "%q is not in\n%s", want, plain)
	}
	link := linkIn(t, plain)
	if linkIn(t, html) != link || strings.Contains(plain+html, "Ada") { // names, which may be any text, are left out
		t.Errorf("the HTML is\n%s", html)
	}
	b.LogsNothingPersonal()
	var stored int
	err = b.DB.Admin().QueryRow(t.Context(), `
		SELECT count(*) FROM (SELECT r::text FROM link_mails r UNION ALL SELECT r::text FROM users r UNION ALL SELECT r::text FROM intents r
			UNION ALL SELECT r::text FROM river.river_job r) AS of (row) WHERE row LIKE '%' || $1 || '%'`, link).Scan(&stored)
	assert.Thatf(t, err == nil && stored == 0 && !strings.Contains(b.Logs.String(), link),
		"%d rows have the link, or the log has it: %v", stored, err)
	if p, err := account.UseLink(t.Context(), b.DB.Pool, link, "correct horse battery"); err != nil || p.Name != "ada@example.com" {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := account.UseLink(t.Context(), b.DB.Pool, link, "another long password"); !errors.Is(err, account.ErrUnknown) {
		t.Errorf("it works twice: %v", err)
	}
}

// forget sends the form of /forgot, and returns the answer.
func (b *bundle) forget(address string) string {
	b.Helper()
	response, err := http.PostForm(b.URL()+"/forgot", url.Values{"email": {address}})
	must.OK(b, err)
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	must.OK(b, err)
	return fmt.Sprint(response.StatusCode, " ", string(page))
}

// TestForgottenPasswordIsMailed if the email has an account; the answer is the same if it has none.
func TestForgottenPasswordIsMailed(t *testing.T) {
	s := mailertest.Start(t, nil, nil)
	b := linking(t, s.URL)
	hash, err := account.HashPassword("correct horse battery")
	must.OK(t, err)
	must.Exec(t, b.DB.Admin(), `
		INSERT INTO users (tenant_id, email, password_hash) VALUES ($1, 'ada@example.com', $2)`, apptest.Company, hash)
	known, unknown := b.forget("Ada@example.com"), b.forget("nobody@example.com")
	assert.Thatf(t, known == unknown && strings.Contains(known, "If there is an account with this email, we've sent a link to it."),
		"%s\n\n%s", known, unknown)
	state, _ := b.linkMail()
	must.Thatf(t, state == mailer.StateSent && len(s.Messages()) == 1, "%s, %d messages", state, len(s.Messages()))
	plain, _ := texts(t, s.Messages()[0])
	assert.Thatf(t, strings.Contains(plain, "Someone, probably you, asked for a link to choose a new password for Acme Studio:") &&
		strings.Contains(plain, "Until you use it, your current password stays as it is."), "%v", plain)
	if _, err := account.LogIn(t.Context(), b.DB.Pool, "ada@example.com", "correct horse battery"); err != nil {
		t.Errorf("the current password has ended before the link was used: %v", err)
	}
	if _, err := account.UseLink(t.Context(), b.DB.Pool, linkIn(t, plain), "another long password"); err != nil {
		t.Error(err)
	}
	b.LogsNothingPersonal()
}

// TestInvitationsThatAreNotSent checks the displayed reasons.
func TestInvitationsThatAreNotSent(t *testing.T) {
	pgtest.Long(t)
	for name, c := range map[string]struct {
		settings func(*app.Config)
		sql      string // before it is queued
		want     string
	}{
		"refused":   {want: "The mail server refused it: 550 5.1.0 Requested action not taken: mailbox unavailable."},
		"no server": {settings: func(c *app.Config) { c.MailServer = nil }, want: "No mail server is set up."},
		"another key": {
			settings: func(c *app.Config) { c.SecretKey = secretkey.Key{} },
			want:     "SECRET_KEY has changed since the link was created. Withdraw the link and create another one.",
		},
		"demo":      {want: "The demo sends no email."},
		"withdrawn": {sql: `UPDATE users SET link_id = gen_random_uuid()`, want: "The link was used or withdrawn, or had expired."},
		"disabled":  {sql: `UPDATE users SET disabled_at = now()`, want: "The link was used or withdrawn, or had expired."},
		"expired": {
			sql: `UPDATE users SET link_expires_at = now()`, want: "The link was used or withdrawn, or had expired.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := mailertest.Start(t, nil, func(to string) bool { return name != "refused" })
			settings := c.settings
			if settings == nil {
				settings = func(*app.Config) {}
			}
			b := linking(t, s.URL, settings)
			added, err := b.invite("one", false)
			must.OK(t, err)
			admin := b.DB.Admin()
			before := `UPDATE tenants SET demo = $1; ` + c.sql
			must.Exec(t, admin, before, pgx.QueryExecModeSimpleProtocol, name == "demo")
			must.Exec(t, admin, `
				INSERT INTO link_mails (tenant_id, user_id, link_id, recipient, asked_by) VALUES ($1, $2, $3, $4, 'kim@example.com')`,
				apptest.Company, added.ID, added.LinkID, added.Email)
			if state, reason := b.linkMail(); state != mailer.StateFailed || reason != c.want || len(s.Messages()) != 0 {
				t.Errorf("%s %q, %d messages", state, reason, len(s.Messages()))
			}
			must.Until(t, "admins see the job of a mail that can't be sent, and none of one that needn't", func() bool {
				var job, failure string
				const ofMail = `SELECT state::text, COALESCE(errors::text, '') FROM river.river_job WHERE kind = 'link_mail'`
				err := admin.QueryRow(t.Context(), ofMail).Scan(&job, &failure)
				if name == "refused" || name == "another key" {
					return err == nil && job == "cancelled" && !strings.Contains(failure, "mailbox")
				}
				return err == nil && job == "completed"
			})
		})
	}
}

// post sends a form, and returns the page that it leads to.
func (b *bundle) post(path string, form url.Values) string {
	b.Helper()
	response, err := http.PostForm(b.URL()+path, form)
	must.OK(b, err)
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	must.OK(b, err)
	return string(page)
}

// TestSignUpIsMailed: a new email gets a link, which begins one business however often it is used, and an email that has an account gets
// the way to log in. The pages are the same. The link is in the mail only.
func TestSignUpIsMailed(t *testing.T) {
	s := mailertest.Start(t, nil, nil)
	b := linking(t, s.URL, func(c *app.Config) { c.SignUp = true })
	must.Exec(t, b.DB.Admin(), `
		INSERT INTO users (tenant_id, email, password_hash) VALUES ($1, 'kim@example.com', 'hash')`, apptest.Company)
	for _, key := range []string{"one", "one", "two"} {
		for _, email := range []string{"Ada@example.com", "kim@example.com"} {
			page := b.post("/sign-ups", url.Values{"email": {email}, "idempotency_key": {key + email}})
			must.Thatf(t, strings.Contains(page, "We&#39;ve sent an email to") || strings.Contains(page, "We've sent an email to"),
				"%v", page)
		}
	}
	must.Until(t, "no mail waits", func() bool {
		var left int
		err := b.DB.Admin().QueryRow(t.Context(), `SELECT count(*) FROM sign_up_mails WHERE state <> 'sent'`).Scan(&left)
		return err == nil && left == 0 && len(s.Messages()) == 2
	})
	mails := map[string]string{}
	for _, message := range s.Messages() {
		plain, html := texts(t, message)
		mails[message.Header.Get("To")] = plain
		from, product := message.Header.Get("From"), templates.Product
		assert.Thatf(t, strings.HasPrefix(from, `"`+product+`" `) && strings.Contains(html, "asked to sign up for "+product),
			"from %s:\n%s", from, html)
	}
	known := mails["<kim@example.com>"]
	const logIn = "It has an account already. Log in:\n\nhttps://invoices.example.com/login"
	assert.Thatf(t, !strings.Contains(known, "/start") && strings.Contains(known, logIn), "%v", known)
	_, rest, _ := strings.Cut(mails["<ada@example.com>"], "https://invoices.example.com")
	address, _, ok := strings.Cut(rest, "\n")
	path, link, _ := strings.Cut(address, "?link=")
	must.Thatf(t, ok && len(link) == 43, "no link in %v", mails)
	form := url.Values{"link": {link}, "business": {"Lovelace Ltd"}, "password": {"correct horse battery"}}
	for _, key := range []string{"one", "one", "two"} {
		form.Set("idempotency_key", key)
		page := b.post(path, form)
		must.Thatf(t, strings.Contains(page, "Your business is ready."), "%v", page)
	}
	p, err := account.LogIn(t.Context(), b.DB.Pool, "ada@example.com", "correct horse battery")
	assert.Thatf(t, err == nil && p.TenantName == "Lovelace Ltd", "%+v: %v", p, err)
	var stored int
	err = b.DB.Admin().QueryRow(t.Context(), `
		SELECT count(*) FROM (
			SELECT r::text FROM sign_up_mails r UNION ALL SELECT r::text FROM sign_ups r
			UNION ALL SELECT r::text FROM intents r UNION ALL SELECT r::text FROM river.river_job r) AS of (row)
		WHERE row LIKE '%' || $1 || '%' OR row LIKE '%$argon2id%'`, link).Scan(&stored)
	assert.Thatf(t, err == nil && stored == 0, "%d rows have the link or the password: %v", stored, err)
	b.LogsNothingPersonal()
	b.forget("ada@example.com")
	b.linkMail()
	if plain, html := texts(t, s.Messages()[2]); strings.Contains(plain+html, "Lovelace") || !strings.Contains(plain, templates.Product) {
		t.Errorf("a stranger's text was mailed:\n%s", plain)
	}
}

// TestDemoMailsNoSignUp, also with a mail server: anyone could have it send to any address.
func TestDemoMailsNoSignUp(t *testing.T) {
	s := mailertest.Start(t, nil, nil)
	b := linking(t, s.URL, func(c *app.Config) { c.SignUp, c.Demo, c.PublicDemo = true, true, true })
	page := b.post("/sign-ups", url.Values{"email": {"ada@example.com"}, "idempotency_key": {"one"}})
	assert.Thatf(t, strings.Contains(page, "The demo sends no email") && strings.Contains(page, "/start?link="), "%v", page)
	must.Until(t, "the mail is settled", func() bool {
		var state string
		err := b.DB.Admin().QueryRow(t.Context(), `SELECT state FROM sign_up_mails`).Scan(&state)
		return err == nil && state == "failed"
	})
	n := len(s.Messages())
	assert.Thatf(t, n == 0, "%d messages", n)
}

// TestSignUpNeedsMail: without a way to mail the link there are no sign-ups.
func TestSignUpNeedsMail(t *testing.T) {
	b := apptest.New(t, func(c *app.Config) { c.Demo, c.SignUp = false, true })
	response, err := http.Get(b.URL() + "/sign-ups/new")
	must.OK(t, err)
	defer response.Body.Close()
	assert.Thatf(t, response.StatusCode == http.StatusNotFound, "%v", response.Status)
}
