package app_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"onlyonce/internal/app"
	"onlyonce/internal/app/apptest"
	"onlyonce/internal/mailer/mailertest"
	"onlyonce/internal/must"
	"onlyonce/internal/people/account"
	"onlyonce/templates"
)

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
			if !strings.Contains(page, "We&#39;ve sent an email to") && !strings.Contains(page, "We've sent an email to") {
				t.Fatal(page)
			}
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
		if !strings.HasPrefix(from, `"`+product+`" `) || !strings.Contains(html, "asked to sign up for "+product) {
			t.Errorf("from %s:\n%s", from, html)
		}
	}
	known := mails["<kim@example.com>"]
	const logIn = "It has an account already. Log in:\n\nhttps://invoices.example.com/login"
	if strings.Contains(known, "/start") || !strings.Contains(known, logIn) {
		t.Error(known)
	}
	_, rest, _ := strings.Cut(mails["<ada@example.com>"], "https://invoices.example.com")
	address, _, ok := strings.Cut(rest, "\n")
	path, link, _ := strings.Cut(address, "?link=")
	if !ok || len(link) != 43 {
		t.Fatalf("no link in %v", mails)
	}
	form := url.Values{"link": {link}, "business": {"Lovelace Ltd"}, "password": {"correct horse battery"}}
	for _, key := range []string{"one", "one", "two"} {
		form.Set("idempotency_key", key)
		if page := b.post(path, form); !strings.Contains(page, "Your business is ready.") {
			t.Fatal(page)
		}
	}
	p, err := account.LogIn(t.Context(), b.DB.Pool, "ada@example.com", "correct horse battery")
	if err != nil || p.TenantName != "Lovelace Ltd" {
		t.Errorf("%+v: %v", p, err)
	}
	var stored int
	err = b.DB.Admin().QueryRow(t.Context(), `
		SELECT count(*) FROM (
			SELECT r::text FROM sign_up_mails r UNION ALL SELECT r::text FROM sign_ups r
			UNION ALL SELECT r::text FROM intents r UNION ALL SELECT r::text FROM river.river_job r) AS of (row)
		WHERE row LIKE '%' || $1 || '%' OR row LIKE '%$argon2id%'`, link).Scan(&stored)
	if err != nil || stored != 0 {
		t.Errorf("%d rows have the link or the password: %v", stored, err)
	}
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
	if !strings.Contains(page, "The demo sends no email") || !strings.Contains(page, "/start?link=") {
		t.Error(page)
	}
	must.Until(t, "the mail is settled", func() bool {
		var state string
		err := b.DB.Admin().QueryRow(t.Context(), `SELECT state FROM sign_up_mails`).Scan(&state)
		return err == nil && state == "failed"
	})
	if n := len(s.Messages()); n != 0 {
		t.Errorf("%d messages", n)
	}
}

// TestSignUpNeedsMail: without a way to mail the link there are no sign-ups.
func TestSignUpNeedsMail(t *testing.T) {
	b := apptest.New(t, func(c *app.Config) { c.Demo, c.SignUp = false, true })
	response, err := http.Get(b.URL() + "/sign-ups/new")
	must.OK(t, err)
	defer response.Body.Close()
	if response.StatusCode != http.StatusNotFound {
		t.Error(response.Status)
	}
}
