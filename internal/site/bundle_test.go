package site_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/people/account"
	"onlyonce/internal/people/link"
	"onlyonce/internal/people/peoplepages"
	"onlyonce/internal/people/secret"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/site"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/secretkey"
	"onlyonce/internal/web"
)

// bundle is a new database with two tenants, and a server on it.
type bundle struct {
	*testing.T
	*replica

	db           *pgtest.Database
	admin        *pgxpool.Pool // sees all tenants
	acme, globex tenant
	owners       map[uuid.UUID]*client // see byOwner
	failures     *failures
	settings     []func(*config) // of every replica

	mu       sync.Mutex
	attempts []idempotency.Attempt
}

type tenant struct {
	id    uuid.UUID
	name  string
	email string // of its user, whose password is the constant
	token string
}

const password = "correct horse battery staple"

// passwordHash is cheap to verify. Real hashes are slow on purpose, and the tests log in hundreds of times.
var passwordHash = sync.OnceValues(func() (string, error) {
	return argon2id.CreateHash(password, &argon2id.Params{Memory: 8, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32})
})

// setup returns a bundle for a parallel test. The settings change the configuration of each of its servers.
func setup(t *testing.T, settings ...func(*config)) *bundle {
	t.Helper()
	leaveToWalks(t)
	t.Parallel()
	return setupHere(t, settings...)
}

// setupHere is setup for a test that is already parallel.
func setupHere(t *testing.T, settings ...func(*config)) *bundle {
	t.Helper()
	b := bundleOn(t, pgtest.New(t), settings...)
	b.acme, b.globex = b.tenant("Acme"), b.tenant("Globex")
	return b
}

// bundleOn returns a bundle without tenants.
func bundleOn(t *testing.T, db *pgtest.Database, settings ...func(*config)) *bundle {
	t.Helper()
	b := &bundle{T: t, db: db, owners: map[uuid.UUID]*client{}, failures: newFailures(t), settings: settings}
	t.Cleanup(func() { b.replica = nil }) // as the handler of listen
	b.admin = b.db.Admin()
	b.replica = b.serveOn(b.db.Pool)
	return b
}

func (b *bundle) tenant(name string) tenant {
	b.Helper()
	hash, err := passwordHash()
	if err != nil {
		b.Fatal(err)
	}
	t := tenant{id: uuid.New(), name: name, token: "token of " + name}
	t.email = "user-" + t.id.String() + "@example.com"
	b.exec(`INSERT INTO tenants (id, name) VALUES ($1, $2)`, t.id, t.name)
	b.exec(`INSERT INTO users (id, tenant_id, email, password_hash) VALUES ($1, $1, $2, $3)`, t.id, t.email, hash)
	b.exec(`INSERT INTO api_tokens (token_hash, tenant_id, name) VALUES ($1, $2, 'test')`, account.HashToken(t.token), t.id)
	return t
}

// replica is a replica of the server.
type replica struct {
	*web.Server

	url   string
	pool  *pgxpool.Pool
	store *idempotency.Store
}

// config is the configuration of a replica.
type config struct {
	web.Config

	people peoplepages.Config
	pages  []func(*web.Site) // in addition to the common ones
}

// serve starts a replica with a new pool. The settings change its configuration before.
func (b *bundle) serve(settings ...func(*config)) *replica {
	b.Helper()
	pool, err := pgxpool.NewWithConfig(b.Context(), b.db.Pool.Config())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(pool.Close)
	return b.serveOn(pool, settings...)
}

// today returns the current day of all servers in the tests. The dates in commands are near it.
func today() date.Date { return date.Of(time.Date(2026, time.November, 27, 0, 0, 0, 0, time.UTC)) }

// secretKey is the key of every server in the tests.
func secretKey(t *testing.T) secretkey.Key {
	t.Helper()
	key, err := secretkey.Parse("MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=")
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func (b *bundle) serveOn(pool *pgxpool.Pool, settings ...func(*config)) *replica {
	b.Helper()
	c := config{Config: web.Config{
		Pool: pool, Log: slog.New(slog.NewTextHandler(b.Output(), nil)), Today: today,
		Store: &idempotency.Store{Pool: pool, Wait: 15 * time.Second, Timeout: 25 * time.Second, Observe: b.observe},
	}}
	c.people.Key = secretKey(b.T)
	c.people.Forgot = func(ctx context.Context, email string) error {
		return link.Forgot(ctx, pool, secret.FromKey(c.people.Key), email)
	}
	for _, set := range slices.Concat(b.settings, settings) {
		set(&c)
	}
	c.Mount = site.Mount(c.people, true, c.pages...)
	server, err := web.New(c.Config)
	if err != nil {
		b.Fatal(err)
	}
	return &replica{server, b.listen(server.Handler), pool, c.Store}
}

// listen serves a handler on a free port and returns its URL.
func (b *bundle) listen(h http.Handler) string {
	server := httptest.NewServer(h)
	b.Cleanup(func() {
		server.Close()
		server.Config.Handler = nil // testing keeps the server until the last test of a walk
	})
	return server.URL
}

// impatient shortens the waits for locks.
func impatient(c *config) { c.Store.Wait = 100 * time.Millisecond }

func (b *bundle) observe(_ context.Context, a idempotency.Attempt) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.attempts = append(b.attempts, a)
}

// wantOutcomes compares the outcomes of all attempts so far, in any order, because some ran concurrently.
func (b *bundle) wantOutcomes(want ...idempotency.Outcome) {
	b.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	var got []idempotency.Outcome
	for _, a := range b.attempts {
		got = append(got, a.Outcome)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		b.Errorf("outcomes %v, want %v", got, want)
	}
}

// ended counts the attempts so far.
func (b *bundle) ended() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.attempts)
}

// forget removes the attempts recorded so far.
func (b *bundle) forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.attempts = nil
}

// keeping makes a server keep attempts.
func keeping(c *config) { c.people.KeepAttempts = 7 * 24 * time.Hour }
