package link_test

import (
	"bytes"
	"encoding/base64"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/must"
	"onlyonce/internal/people/account"
	"onlyonce/internal/people/link"
	"onlyonce/internal/people/secret"
	"onlyonce/internal/people/user"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/value/email"
	"onlyonce/internal/value/secretkey"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// bundle is a tenant with an invited user without a password.
type bundle struct {
	*storetest.Bundle

	ada user.User
}

// seed returns the seed of a key that repeats one byte.
func seed(t *testing.T, of byte) secret.Seed {
	t.Helper()
	key, err := secretkey.Parse(base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{of}, 32)))
	must.OK(t, err)
	return secret.FromKey(key)
}

func setup(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{Bundle: storetest.Setup(t)}
	b.Exec(`INSERT INTO users (tenant_id, email, password_hash, role) VALUES ($1, 'owner@example.com', 'hash', 'owner')`, b.Tenant)
	d := user.Draft{Email: email.Address("ada@example.com"), Role: "member", Invitation: user.Invitation{Seed: seed(t, 1)}}
	done, err := user.Create.Do(t.Context(), b.Store, b.Intent("ada"), d)
	must.OK(t, err)
	b.ada = done.Value
	return b
}

func (b *bundle) forgot(address string, of byte) {
	b.Helper()
	must.OK(b, link.Forgot(b.Context(), b.DB.Pool, seed(b.T, of), address))
}

// later shifts all mails eleven minutes into the past.
func (b *bundle) later() {
	b.Helper()
	b.Exec(`UPDATE link_mails SET id = new_id(created_at - interval '11 minutes'), created_at = created_at - interval '11 minutes'`)
}

func (b *bundle) wantMails(n int) {
	b.Helper()
	assert.Equal(b, storetest.Value[int](b, `SELECT count(*) FROM link_mails`), n, "mails")
	assert.Equal(b, storetest.Value[int](b, `SELECT count(*) FROM river.river_job`), n, "jobs")
}

const linkOfAda = `SELECT link_id FROM users WHERE email = 'ada@example.com'`

// TestForgotAtOnce checks that twenty concurrent requests from different places make and mail one link.
func TestForgotAtOnce(t *testing.T) {
	b := setup(t)
	b.Exec(`UPDATE users SET password_hash = 'hash' WHERE email = 'ada@example.com'`) // revokes the invitation
	before := storetest.Value[int](b, `SELECT version FROM users WHERE email = 'ada@example.com'`)
	storetest.Together(20, func(int) error {
		b.forgot(" Ada@example.com", 1)
		return nil
	})
	b.wantMails(1)
	assert.Equal(t, storetest.Value[int](b, `SELECT version FROM users WHERE email = 'ada@example.com'`)-before, 1, "links were made")
	life := storetest.Value[bool](b, `
		SELECT link_expires_at BETWEEN now() + interval '50 minutes' AND now() + interval '1 hour' FROM users
		WHERE email = 'ada@example.com'`)
	assert.Thatf(t, life, "the link is not good for an hour")
}

// TestForgotWhileAnOwnerInvites checks that a link that an owner makes concurrently is mailed, and not replaced.
func TestForgotWhileAnOwnerInvites(t *testing.T) {
	b := setup(t)
	b.Exec(`UPDATE users SET password_hash = 'hash' WHERE email = 'ada@example.com'`) // revokes the invitation
	made := uuid.New()
	owners, err := b.DB.Admin().Begin(t.Context())
	must.OK(t, err)
	must.Exec(t, owners, `
		UPDATE users SET link_id = $1, link_hash = $2, link_expires_at = now() + interval '1 day' WHERE email = 'ada@example.com'`,
		made, account.HashToken(seed(t, 1).Derive("link", made)))
	var asked sync.WaitGroup
	asked.Go(func() { b.forgot("ada@example.com", 1) })
	b.Waiting(1)
	must.OK(t, owners.Commit(t.Context()))
	asked.Wait()
	assert.Equal(t, storetest.Value[uuid.UUID](b, linkOfAda), made, "not the link that the owner made")
	b.wantMails(1)
}

// TestForgotMailsTheOpenLink checks that the open link is mailed again and stays valid.
func TestForgotMailsTheOpenLink(t *testing.T) {
	b := setup(t)
	b.Exec(`UPDATE users SET link_expires_at = now() + interval '5 minutes' WHERE email = 'ada@example.com'`)
	until := storetest.Value[time.Time](b, `SELECT link_expires_at FROM users WHERE email = 'ada@example.com'`)
	b.forgot("ada@example.com", 1)
	b.wantMails(1)
	b.forgot("ada@example.com", 1)
	b.wantMails(1)
	b.later()
	b.forgot("ada@example.com", 1)
	b.wantMails(2)
	assert.Equal(t, storetest.Value[uuid.UUID](b, linkOfAda), b.ada.LinkID, "another link was made")
	if now := storetest.Value[time.Time](b, `SELECT link_expires_at FROM users WHERE email = 'ada@example.com'`); !now.Equal(until) {
		t.Errorf("it was good until %v, and is until %v", until, now)
	}
	b.later()
	b.forgot("ada@example.com", 2) // a program with another key can't derive the same link
	b.wantMails(3)
	if now := storetest.Value[uuid.UUID](b, linkOfAda); now == b.ada.LinkID {
		t.Error("it has mailed a link that it cannot make")
	}
}

// TestForgotWaitsForAnInvitation checks that no link is mailed right after an owner's invitation.
func TestForgotWaitsForAnInvitation(t *testing.T) {
	b := setup(t)
	b.Exec(`INSERT INTO link_mails (tenant_id, user_id, link_id, recipient, asked_by)
		SELECT tenant_id, id, link_id, email, 'owner' FROM users WHERE email = 'ada@example.com'`)
	b.forgot("ada@example.com", 1)
	b.wantMails(1)
}

// TestForgotIsForNobodyElse checks users who don't exist, are disabled, belong to the demo, or whose invitation was withdrawn.
func TestForgotIsForNobodyElse(t *testing.T) {
	for name, sql := range map[string]string{
		"nobody":    `UPDATE users SET email = 'grace@example.com' WHERE email = 'ada@example.com'`,
		"disabled":  `UPDATE users SET password_hash = 'hash', disabled_at = now() WHERE email = 'ada@example.com'`,
		"demo":      `UPDATE tenants SET demo = true`,
		"withdrawn": `UPDATE users SET link_id = NULL, link_hash = NULL, link_expires_at = NULL WHERE email = 'ada@example.com'`,
		"expired":   `UPDATE users SET link_expires_at = now() WHERE email = 'ada@example.com'`,
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			b.Exec(sql)
			b.forgot("ada@example.com", 1)
			b.wantMails(0)
		})
	}
}

func TestJobIsOneOfRiver(t *testing.T) {
	b := setup(t)
	b.forgot("ada@example.com", 1)
	job := b.DB.IsOfRiver(t, link.Job{Tenant: b.Tenant, Mail: storetest.Value[uuid.UUID](b, `SELECT id FROM link_mails`)})
	token := seed(t, 1).Derive("link", b.ada.LinkID)
	_, err := account.FindLink(t.Context(), b.DB.Pool, token)
	assert.Thatf(t, err == nil && !strings.Contains(job, token), "the link does not work, or is in the job: %v", err)
}

// TestOldMailsGo checks that old mails are deleted, and younger ones stay.
func TestOldMailsGo(t *testing.T) {
	b := setup(t)
	b.forgot("ada@example.com", 1)
	b.later()
	b.forgot("ada@example.com", 1)
	b.Exec(`UPDATE link_mails SET id = new_id(now() - interval '31 days') WHERE created_at < now() - interval '5 minutes'`)
	must.OK(t, link.Expire(t.Context(), b.DB.Pool, b.Tenant))
	assert.Equal(t, storetest.Value[int](b, `SELECT count(*) FROM link_mails`), 1, "mails are left")
}
