package app_test

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"onlyonce/internal/app"
	"onlyonce/internal/assert"
	"onlyonce/internal/mailer"
	"onlyonce/internal/must"
)

func mailEnvironment() map[string]string {
	return map[string]string{
		"SMTP_URL": "smtps://me:secret@mail.example.com", "MAIL_FROM": "me@example.com", "MAIL_TIMEOUT": "9s", "MAIL_RETRY": "1m",
	}
}

// mailConfig returns the configuration that follows.
func mailConfig(t *testing.T) app.MailConfig {
	t.Helper()
	server, err := mailer.ParseServer(mailEnvironment()["SMTP_URL"])
	must.OK(t, err)
	return app.MailConfig{MailServer: &server, MailSender: "me@example.com", MailTimeout: 9 * time.Second, MailRetry: time.Minute}
}

func TestMailSettingsThatAreWrong(t *testing.T) {
	t.Parallel()
	wantRefused(t, map[string][]string{
		"SMTP_URL": {
			"mail.example.com", "http://mail.example.com", "smtp://", "smtp://host:0", "smtp://host:99999", "smtp://host/path",
			"smtp://host?x=1",
			"smtps://host?tls=off", "smtp://me:secret@host?tls=off", "smtp://me@host", "smtp://:secret@host", "smtp://host#x", "smtp://%zz",
		},
		"MAIL_FROM":    {"me", "Me <me@example.com>", "me@example.com\nBcc: you@example.com"},
		"MAIL_TIMEOUT": {"0s", "11m", "soon"},
		"MAIL_RETRY":   {"0s", "-1m"},
	})
}

func TestMailSettingsKeepThePassword(t *testing.T) {
	t.Parallel()
	wantKept(t, "SMTP_URL",
		"smtp://ada:s3cret@host:port", "smtp://ada:s3cret%zz@host", "smtps://ada:s3cret@host?x", "ada:s3cret@host")
	c, err := app.Environ(environment(map[string]string{"SMTP_URL": "smtp://ada:s3cret@host", "MAIL_FROM": "ada@example.com"}))
	printed := fmt.Sprintf("%v %+v %#v %s %#v", c.MailServer, c.MailServer, c.MailServer, *c.MailServer, *c.MailServer)
	assert.Thatf(t, err == nil && !strings.Contains(printed, "s3cret"), "%s, %v", printed, err)
}

// TestLinksThatCannotBeMailedAreWarnedOf checks the warnings if the public URL or the key of links is missing beside a mail server.
func TestLinksThatCannotBeMailedAreWarnedOf(t *testing.T) {
	t.Parallel()
	secret := strings.Repeat("MDEy", 10) + "MDE="
	for name, c := range map[string]struct {
		env  map[string]string
		want string
	}{
		"no key":               {map[string]string{"DATABASE_URL": "postgres:///x"}, "SECRET_KEY is not set: invitations"},
		"no address":           {map[string]string{"ADDR": ":80", "SECRET_KEY": secret}, "PUBLIC_URL is not set: invitations"},
		"an embedded database": {map[string]string{}, ""},
		"a key":                {map[string]string{"DATABASE_URL": "postgres:///x", "SECRET_KEY": secret}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			maps.Copy(c.env, mailEnvironment())
			c.env["DEMO"] = "0"
			config, err := app.Environ(environment(c.env))
			must.OK(t, err)
			_, warnings := config.Contradictions(environment(c.env))
			got := fmt.Sprint(warnings)
			assert.Thatf(t, strings.Contains(got, c.want) && (c.want != "" || !strings.Contains(got, "invitations")),
				"warnings %s, want %q", got, c.want)
		})
	}
}

func TestContradictions(t *testing.T) {
	t.Parallel()
	const proxied = "https://invoices.example.com"
	inOrder := map[string]string{
		"DATABASE_URL": "postgres:///x", "PUBLIC_URL": proxied, "TRUSTED_PROXIES": "10.0.0.5",
		"SECRET_KEY": strings.Repeat("MDEy", 10) + "MDE=",
	}
	noMail := maps.Clone(inOrder)
	signUp := maps.Clone(noMail)
	signUp["SIGN_UP"] = "1"
	maps.Copy(inOrder, mailEnvironment())
	for name, c := range map[string]struct {
		env             map[string]string
		failed, warning string // a part of the message; empty for none
	}{
		"nothing set":          {nil, "", ""},
		"in order":             {inOrder, "", ""},
		"no mail":              {noMail, "", "SMTP_URL"},
		"no mail for sign-ups": {signUp, "", "SMTP_URL is not set: emails are not sent, and sign-up is off"},
		"public demo":          {map[string]string{"TRUSTED_PROXIES": "10.0.0.5", "PUBLIC_URL": proxied}, "DEMO=0", ""},
		"allowed public demo": {map[string]string{
			"TRUSTED_PROXIES": "10.0.0.5", "PUBLIC_URL": proxied, "ALLOW_PUBLIC_DEMO": "1",
		}, "", "DEMO=0"},
		"one address":    {map[string]string{"METRICS_ADDR": "127.0.0.1:8080"}, "METRICS_ADDR", ""},
		"two databases":  {map[string]string{"DATABASE_URL": "postgres:///x", "DATA_DIR": "/d", "DEMO": "1"}, "", "DATA_DIR"},
		"public metrics": {map[string]string{"METRICS_ADDR": ":28080"}, "", "METRICS_ADDR"},
		"HTTP for others": {map[string]string{
			"PUBLIC_URL": "http://invoices.example.com", "TRUSTED_PROXIES": "10.0.0.5", "ALLOW_PUBLIC_DEMO": "1", "DEMO": "1",
		}, "", "in clear"},
		"HTTPS without a proxy": {map[string]string{"PUBLIC_URL": "https://localhost"}, "", "TRUSTED_PROXIES"},
		"no name for others": {map[string]string{
			"ADDR": ":80", "TRUSTED_PROXIES": "10.0.0.5", "ALLOW_PUBLIC_DEMO": "1",
		}, "", "PUBLIC_URL"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config, err := app.Environ(environment(c.env))
			must.OK(t, err)
			failures, warnings := config.Contradictions(environment(c.env))
			check := func(what, got, want string) {
				assert.Thatf(t, (got == "") == (want == "") && strings.Contains(got, want), "%s %q, want %q", what, got, want)
			}
			text := func(errs []error) string {
				if err := errors.Join(errs...); err != nil {
					return err.Error()
				}
				return ""
			}
			check("failures", text(failures), c.failed)
			check("warnings", text(warnings), c.warning)
		})
	}
}
