package webhook_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice/webhook"
	"onlyonce/internal/must"
	"onlyonce/internal/record"
	"onlyonce/internal/value/secretkey"
)

// TestSignatures checks that a delivery is refused unless it was signed with a currently valid secret, within five minutes of now.
func TestSignatures(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i")
	now := time.Now()
	bodies := map[string]string{webhook.Standard: received(inv.Number, "p", "1"), webhook.Stripe: succeeded("evt_1", inv.Number, 100)}
	for _, s := range []sender{b.standard, b.stripe} {
		body, stranger := bodies[s.Scheme], s
		stranger.secret = secretOf("nobody")
		for what, c := range map[string]struct {
			header http.Header
			body   string
			want   error
		}{
			"good":          {s.sign(t, "m", now, body), body, nil},
			"other secret":  {stranger.sign(t, "m", now, body), body, webhook.ErrSignature},
			"other body":    {s.sign(t, "m", now, body), body + " ", webhook.ErrSignature},
			"too old":       {s.sign(t, "m", now.Add(-5*time.Minute-time.Second), body), body, webhook.ErrSignature},
			"old enough":    {s.sign(t, "m", now.Add(-4*time.Minute), body), body, nil},
			"ahead":         {s.sign(t, "m", now.Add(4*time.Minute), body), body, nil},
			"too far ahead": {s.sign(t, "m", now.Add(310*time.Second), body), body, webhook.ErrSignature},
			"in ten years":  {s.sign(t, "m", now.AddDate(10, 0, 0), body), body, webhook.ErrSignature},
			"not signed":    {http.Header{}, body, webhook.ErrSignature},
			"no JSON":       {s.sign(t, "m", now, "{"), "{", webhook.ErrMalformed},
			"no object":     {s.sign(t, "m", now, "[]"), "[]", webhook.ErrMalformed},
			"two objects":   {s.sign(t, "m", now, body+body), body + body, webhook.ErrMalformed},
			"two types":     {s.sign(t, "m", now, twice(body)), twice(body), webhook.ErrMalformed},
			"an id too bad": {s.sign(t, "m m", now, `{"id": ""}`), `{"id": ""}`, webhook.ErrMalformed},
		} {
			_, err := b.verified(s, c.header, c.body)
			assert.Thatf(t, errors.Is(err, c.want), "%s, %s: %v", s.Name, what, err)
		}
	}
}

// twice returns a body with a second "type" before the first.
func twice(body string) string { return strings.Replace(body, `"type"`, `"type": "other", "type"`, 1) }

// TestTwoSecrets checks that after a new secret was added, the old one is valid for a day, or until a user ends it.
func TestTwoSecrets(t *testing.T) {
	b := setup(t)
	old, body := b.standard, received("x", "p", "1")
	is := func(what string, s sender, want error) {
		t.Helper()
		_, err := b.verified(s, s.sign(t, "m", time.Now(), body), body)
		assert.Thatf(t, errors.Is(err, want), "%s: %v", what, err)
	}
	add := func(secret string) (sender, error) {
		t.Helper()
		draft, err := webhook.SecretInput{Secret: secret}.Draft(old.Source, b.vault)
		must.OK(t, err)
		_, err = webhook.AddSecret.Do(t.Context(), b.Store, b.Intent("add "+secret), draft)
		return sender{old.Source, secret}, err
	}
	renewed, err := add(secretOf("second"))
	must.OK(t, err)
	is("the old one", old, nil)
	is("the new one", renewed, nil)
	if _, err := add(secretOf("first")); !storetest.IsConflict(err, &webhook.SecretTaken) {
		t.Errorf("the old one again: %v", err)
	}
	list, err := webhook.SecretsOf(t.Context(), b.Store.Pool, b.Tenant, old.ID, record.Page{Limit: 10})
	must.Thatf(t, err == nil && len(list.Rows) == 2 && list.Rows[0].EndsAt.IsZero() &&
		time.Until(list.Rows[1].EndsAt).Round(time.Hour) == 24*time.Hour, "%+v, %v", list, err)
	b.OK(webhook.EndSecret.Do(t.Context(), b.Store, b.Of("end", list.Rows[1].ID, 0), struct{}{}))
	is("ended by hand", old, webhook.ErrSignature)
	third, err := add(secretOf("third"))
	must.OK(t, err)
	b.OK(add(secretOf("fourth")))
	is("two are valid, and no more", renewed, webhook.ErrSignature)
	is("the one before", third, nil)

	b.OK(webhook.Disable.Do(t.Context(), b.Store, b.Of("disable", old.ID, 0), struct{}{}))
	is("disabled", third, record.ErrNotFound)
}

// TestSecretsStaySecret checks that secrets are in no result, fingerprint or log, and can't be used for another source or with another
// key.
func TestSecretsStaySecret(t *testing.T) {
	b := setup(t)
	for _, text := range []string{b.standard.secret, b.stripe.secret, strings.TrimPrefix(b.standard.secret, "whsec_")} {
		rows := storetest.Value[string](b, `
			SELECT concat((SELECT string_agg(i::text, '') FROM intents i), (SELECT string_agg(s::text, '') FROM webhook_secrets s))`)
		bare := storetest.Value[bool](b,
			`SELECT bool_or(position(convert_to($1, 'UTF8') IN sealed) > 0) FROM webhook_secrets`, text)
		assert.Thatf(t, !bare && !strings.Contains(rows, text), "stored: %s", text)
		draft, err := webhook.Input{Name: "Bank", Scheme: webhook.Stripe, Secret: text}.Draft(b.vault)
		assert.Thatf(t, err == nil && !strings.Contains(fmt.Sprintf("%v %+v %#v", draft, &draft, draft), text),
			"printed: %+v, %v", draft, err)
	}
	b.Exec(`UPDATE webhook_secrets SET sealed = '\x00' || sealed WHERE source_id = $1`, b.stripe.ID)
	if _, err := webhook.FindSender(t.Context(), b.Store.Pool, b.vault, b.stripe.Address(b.Tenant)); err == nil {
		t.Error("opened what was changed")
	}
	// After a change of SECRET_KEY, a secret can be added again, next to the one that can't be decrypted any more.
	key, err := secretkey.Keep(t.TempDir())
	must.OK(t, err)
	b.vault = webhook.NewVault(key)
	draft, err := webhook.SecretInput{Secret: b.standard.secret}.Draft(b.standard.Source, b.vault)
	must.OK(t, err)
	b.OK(webhook.AddSecret.Do(t.Context(), b.Store, b.Intent("anew"), draft))
	body := received("x", "p", "1")
	if _, err := b.verified(b.standard, b.standard.sign(t, "m", time.Now(), body), body); err != nil {
		t.Errorf("added anew: %v", err)
	}
	none := webhook.NewVault(secretkey.Key{})
	if _, err := webhook.FindSender(t.Context(), b.Store.Pool, none, b.standard.Address(b.Tenant)); err == nil {
		t.Error("opened without the key")
	}
	var wrong *invalid.Error
	_, err = webhook.Input{Name: "n", Scheme: webhook.Stripe, Secret: b.stripe.secret}.Draft(none)
	assert.Thatf(t, errors.As(err, &wrong) && len(wrong.Fields) == 1 && strings.Contains(wrong.Fields[0].Message, "Set SECRET_KEY"),
		"added without a key: %v", err)
}
