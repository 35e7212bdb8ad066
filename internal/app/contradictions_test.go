package app_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"onlyonce/internal/app"
	"onlyonce/internal/must"
)

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
				if (got == "") != (want == "") || !strings.Contains(got, want) {
					t.Errorf("%s %q, want %q", what, got, want)
				}
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
