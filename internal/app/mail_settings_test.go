package app_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"onlyonce/internal/app"
	"onlyonce/internal/mailer"
	"onlyonce/internal/must"
)

// mailEnvironment sets all variables of mails.
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
	for _, value := range []string{
		"smtp://ada:s3cret@host:port", "smtp://ada:s3cret%zz@host", "smtps://ada:s3cret@host?x", "ada:s3cret@host",
	} {
		_, err := app.Environ(environment(map[string]string{"SMTP_URL": value}))
		if err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", value, err)
		}
	}
	c, err := app.Environ(environment(map[string]string{"SMTP_URL": "smtp://ada:s3cret@host", "MAIL_FROM": "ada@example.com"}))
	printed := fmt.Sprintf("%v %+v %#v %s %#v", c.MailServer, c.MailServer, c.MailServer, *c.MailServer, *c.MailServer)
	if err != nil || strings.Contains(printed, "s3cret") {
		t.Errorf("%s, %v", printed, err)
	}
}

// TestMailNeedsASender: a mail server without a sender is an error.
func TestMailNeedsASender(t *testing.T) {
	t.Parallel()
	_, err := app.Environ(environment(map[string]string{"SMTP_URL": "smtp://host"}))
	if err == nil || !strings.Contains(err.Error(), "MAIL_FROM") {
		t.Error(err)
	}
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
			if !strings.Contains(got, c.want) || c.want == "" && strings.Contains(got, "invitations") {
				t.Errorf("warnings %s, want %q", got, c.want)
			}
		})
	}
}
