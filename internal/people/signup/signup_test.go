package signup_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/must"
	"onlyonce/internal/people/account"
	"onlyonce/internal/people/secret"
	"onlyonce/internal/people/signup"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/value/email"
	"onlyonce/internal/value/secretkey"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// bundle has the tenant of strangers.
type bundle struct {
	*storetest.Bundle

	seed secret.Seed
}

func setup(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	b := &bundle{Bundle: storetest.On(t, pgtest.New(t))}
	b.Tenant = account.Strangers
	key, err := secretkey.Parse("MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=")
	must.OK(t, err)
	b.seed = secret.FromKey(key)
	return b
}

func (b *bundle) ask(key, address string) (signup.SignUp, error) {
	done, err := signup.Ask.Do(b.Context(), b.Store, b.Intent(key), signup.Draft{Email: email.Address(address), Seed: b.seed})
	return done.Value, err
}

func (b *bundle) asked(key string) (s signup.SignUp, link string) {
	b.Helper()
	s, err := b.ask(key, "ada@example.com")
	must.OK(b, err)
	path, err := signup.LastLink(b.Context(), b.DB.Pool, b.seed, s.ID)
	must.OK(b, err)
	_, link, _ = strings.Cut(path, "link=")
	return s, link
}

func (b *bundle) start(key string, id uuid.UUID, link string) error {
	_, err := signup.Start.Do(b.Context(), b.Store, b.Of(key, id, 0),
		signup.Business{Link: link, Name: "Acme", Person: "Ada", PasswordHash: "hash " + key})
	return err
}

// want compares the numbers of rows.
func (b *bundle) want(signUps, mails, tenants, users int) {
	b.Helper()
	got := storetest.Value[string](b.Bundle, `
		SELECT concat_ws(' ', (SELECT count(*) FROM sign_ups), (SELECT count(*) FROM sign_up_mails), (SELECT count(*) FROM tenants),
			(SELECT count(*) FROM users))`)
	want := fmt.Sprint(signUps, " ", mails, " ", tenants, " ", users)
	assert.Thatf(b, got == want, "sign-ups, mails, tenants, users: %s, want %s", got, want)
	assert.Equal(b, storetest.Value[int](b.Bundle, `SELECT count(*) FROM river.river_job`), mails, "jobs for mails")
}

// TestAskAtOnce: twenty requests for one email, each under its own key, are one sign-up and one mail. Another mail is queued after ten
// minutes, with another link; both work.
func TestAskAtOnce(t *testing.T) {
	b := setup(t)
	for round := range 2 {
		for _, err := range storetest.Together(20, func(n int) error {
			_, err := b.ask(fmt.Sprint("key ", round, " ", n), "Ada@example.com")
			return err
		}) {
			must.OK(t, err)
		}
		b.want(1, round+1, 0, 0)
		b.Exec(`UPDATE sign_up_mails SET created_at = created_at - interval '11 minutes'`)
	}
	b.Exec(`UPDATE sign_up_mails SET created_at = now()`)
	s, link := b.asked("at once again")
	must.OK(t, b.start("start", s.ID, link))
	b.want(1, 2, 1, 1)
	b.asked("after the start")
	b.want(2, 3, 1, 1)
}

// TestStartAtOnce: the link that twenty tabs send, each under its own key, makes one business with one owner.
func TestStartAtOnce(t *testing.T) {
	b := setup(t)
	s, link := b.asked("ask")
	for _, err := range storetest.Together(20, func(n int) error { return b.start(fmt.Sprint("key ", n), s.ID, link) }) {
		must.OK(t, err)
	}
	b.want(1, 1, 1, 1)
	is := storetest.Value[string](b.Bundle, `
		SELECT concat_ws(' ', u.email, u.role, u.name, t.name, r.name = t.name, t.demo, t.sign_up_id = s.id)
		FROM users u JOIN tenants t ON t.id = u.tenant_id JOIN settings r ON r.tenant_id = t.id CROSS JOIN sign_ups s`)
	assert.Thatf(t, is == "ada@example.com owner Ada Acme t f t", "%v", is)
}

// TestKilledBetweenTwoSteps: the connection ends right after each write of an operation, which rolls back; the same request then has its
// effect once.
func TestKilledBetweenTwoSteps(t *testing.T) {
	for _, at := range []string{
		"INSERT ON sign_ups", "INSERT ON sign_up_mails", "UPDATE ON sign_ups", "INSERT ON tenants", "INSERT ON settings", "INSERT ON users",
		"INSERT ON intents",
	} {
		t.Run(at, func(t *testing.T) {
			b := setup(t)
			b.DB.Spoil(t)
			b.Exec(`CREATE SEQUENCE kills; GRANT ALL ON SEQUENCE kills TO PUBLIC;
				CREATE FUNCTION kill() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
					IF nextval('kills') = 1 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;
					RETURN NULL;
				END $$;
				CREATE TRIGGER kill AFTER ` + at + ` FOR EACH ROW EXECUTE FUNCTION kill()`)
			s, link := b.asked("ask")
			must.OK(t, b.start("start", s.ID, link))
			must.OK(t, b.start("start", s.ID, link))
			b.want(1, 1, 1, 1)
			killed := storetest.Value[int](b.Bundle, `SELECT last_value FROM kills`)
			assert.Thatf(t, killed >= 2, "nothing was killed")
		})
	}
}

// TestLinksThatDoNotStart: the link of another sign-up, an expired link, and a missing one.
func TestLinksThatDoNotStart(t *testing.T) {
	b := setup(t)
	s, link := b.asked("ask")
	other, err := b.ask("other", "grace@example.com")
	must.OK(t, err)
	for id, link := range map[uuid.UUID]string{s.ID: "", other.ID: link} {
		err := b.start("wrong", id, link)
		assert.Thatf(t, storetest.IsConflict(err, &signup.LinkOver), "%v", err)
	}
	b.Exec(`UPDATE sign_up_mails SET created_at = now() - interval '24 hours'`)
	if err := b.start("late", s.ID, link); !storetest.IsConflict(err, &signup.LinkOver) {
		t.Error(err)
	}
	b.want(2, 2, 0, 0)
}

// TestBusinessIsAlwaysNew: a business whose name exists is another one, and no command finds it by its name. An email that has an account
// by now begins none.
func TestBusinessIsAlwaysNew(t *testing.T) {
	b := setup(t)
	first, _, err := account.CreateTenant(t.Context(), b.DB.Pool, "acme")
	must.OK(t, err)
	s, link := b.asked("ask")
	must.OK(t, b.start("start", s.ID, link))
	b.want(1, 1, 2, 1)
	if found, _, err := account.CreateTenant(t.Context(), b.DB.Pool, "Acme"); err != nil || found.ID != first.ID {
		t.Errorf("%v: %v", found, err)
	}
	b.Exec(`UPDATE tenants SET name = 'Another' WHERE sign_up_id IS NULL`)
	found, created, err := account.CreateTenant(t.Context(), b.DB.Pool, "Acme")
	of := `SELECT sign_up_id IS NOT NULL FROM tenants WHERE id = '` + found.ID.String() + `'`
	assert.Thatf(t, err == nil && created && !storetest.Value[bool](b.Bundle, of),
		"a command got the business of a stranger: %v: %v", found, err)
	s, link = b.asked("again")
	if err := b.start("again", s.ID, link); !storetest.IsConflict(err, &signup.AccountExists) {
		t.Error(err)
	}
	b.want(2, 2, 3, 1)
}

// TestStrangersHaveNoTenant: the tenant of strangers can't have users. A sign-up has at most one business.
func TestStrangersHaveNoTenant(t *testing.T) {
	b := setup(t)
	assert.Thatf(t, account.Strangers.String() == "00000000-0000-0000-0000-000000000001", "%v", account.Strangers)
	const strangers = "00000000-0000-0000-0000-000000000001"
	b.Refuses(map[string][]string{
		"tenants_not_strangers": {`INSERT INTO tenants (id, name) VALUES ('` + strangers + `', 'Strangers')`},
		"users_tenant_id_fkey": {`
			INSERT INTO users (tenant_id, email, password_hash, role) VALUES ('` + strangers + `', 'a@example.com', '', 'owner')`},
		"tenants_sign_up_once": {`
			INSERT INTO tenants (id, name, sign_up_id) SELECT gen_random_uuid(), 'Acme', '` + strangers + `' FROM generate_series(1, 2)`},
	})
}

// TestOldSignUpsGo: sign-ups are deleted after 30 days, with their mails, and younger ones stay.
func TestOldSignUpsGo(t *testing.T) {
	b := setup(t)
	b.asked("ask")
	b.Exec(`INSERT INTO sign_ups (tenant_id, id, email) VALUES ($1, new_id(now() - interval '31 days'), 'old@example.com')`, b.Tenant)
	must.OK(t, signup.Expire(t.Context(), b.DB.Pool, b.Tenant))
	b.want(1, 1, 0, 0)
}

func TestJobIsOneOfRiver(t *testing.T) {
	b := setup(t)
	_, link := b.asked("ask")
	job := b.DB.IsOfRiver(t, signup.Job{Tenant: b.Tenant, Mail: storetest.Value[uuid.UUID](b.Bundle, `SELECT id FROM sign_up_mails`)})
	assert.Thatf(t, !strings.Contains(job, link), "the job has the link")
}

// TestExecutedSQL compares testdata with the statements that PostgreSQL executes.
func TestExecutedSQL(t *testing.T) {
	b := setup(t)
	sql := b.Executed()
	s := storetest.Execute(sql, "", signup.Ask, uuid.Nil, 0, signup.Draft{Email: "ada@example.com", Seed: b.seed})
	path, err := signup.LastLink(t.Context(), b.DB.Pool, b.seed, s.ID)
	must.OK(t, err)
	_, link, _ := strings.Cut(path, "link=")
	storetest.Refuse(sql, &signup.LinkOver, signup.Start, s.ID, 0, signup.Business{Name: "Acme"})
	storetest.Execute(sql, "", signup.Start, s.ID, 0, signup.Business{Link: link, Name: "Acme", Person: "Ada", PasswordHash: "hash"})
	sql.Lookup("has link", func(ctx context.Context, pool *pgxpool.Pool) error {
		_, err := signup.HasLink(ctx, pool, s.ID, link)
		return err
	})
	sql.Lookup("last link", func(ctx context.Context, pool *pgxpool.Pool) error {
		_, err := signup.LastLink(ctx, pool, b.seed, s.ID)
		return err
	})
	sql.Section("expire", "old sign-ups", func() error { return signup.Expire(t.Context(), sql.Pool, b.Tenant) })
}

// TestTimeZoneOfTheBrowser checks that other names of time zones are accepted, and unknown ones left out.
func TestTimeZoneOfTheBrowser(t *testing.T) {
	for sent, want := range map[string]string{"Asia/Calcutta": "Asia/Kolkata", "Asia/Tokyo": "Asia/Tokyo", "Mars/Olympus": "", "": ""} {
		started, err := signup.Typed{
			Link: "secret", Business: "Lovelace Ltd", Name: "Ada", Password: "correct horse battery", TimeZone: sent,
		}.Check()
		must.OK(t, err)
		assert.Equal(t, started.TimeZone, want, sent)
	}
}
