package sitetest

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/must"
	"onlyonce/internal/people/account"
	"onlyonce/internal/people/link"
	"onlyonce/internal/people/peoplepages"
	"onlyonce/internal/people/secret"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/site"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/secretkey"
	"onlyonce/internal/web"
	"onlyonce/templates"

	"github.com/alexedwards/argon2id"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Bundle is a new database with two tenants, and a server on it.
type Bundle struct {
	*testing.T
	*Replica

	DB           *pgtest.Database
	Admin        *pgxpool.Pool // sees all tenants
	Acme, Globex Tenant
	owners       map[uuid.UUID]*Client // see byOwner
	failures     *failures
	settings     []func(*Config) // of every replica
	Key          secretkey.Key   // of every replica

	mu       sync.Mutex
	Attempts []idempotency.Attempt
}

// Tenant is a tenant with a user and a token.
type Tenant struct {
	ID    uuid.UUID
	Name  string
	Email string // of its user, whose password is the constant
	Token string
}

// Password is the password of every user.
const Password = "correct horse battery staple"

// passwordHash is cheap to verify. Real hashes are slow on purpose, and the tests log in hundreds of times.
var passwordHash = sync.OnceValues(func() (string, error) {
	return argon2id.CreateHash(Password, &argon2id.Params{Memory: 8, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32})
})

// Setup returns a bundle for a parallel test. The settings change the configuration of each of its servers.
func Setup(t *testing.T, settings ...func(*Config)) *Bundle {
	t.Helper()
	LeaveToWalks(t)
	t.Parallel()
	return setupHere(t, settings...)
}

// setupHere is setup for a test that is already parallel.
func setupHere(t *testing.T, settings ...func(*Config)) *Bundle {
	t.Helper()
	b := bundleOn(t, pgtest.New(t), settings...)
	b.Acme, b.Globex = b.Tenant("Acme"), b.Tenant("Globex")
	return b
}

// bundleOn returns a bundle without tenants.
func bundleOn(t *testing.T, db *pgtest.Database, settings ...func(*Config)) *Bundle {
	t.Helper()
	b := &Bundle{T: t, DB: db, owners: map[uuid.UUID]*Client{}, failures: newFailures(t), settings: settings, Key: secretKey(t)}
	t.Cleanup(func() { b.Replica = nil }) // as the handler of listen
	b.Admin = b.DB.Admin()
	b.Replica = b.ServeOn(b.DB.Pool)
	return b
}

// Tenant creates a tenant.
func (b *Bundle) Tenant(name string) Tenant {
	b.Helper()
	hash, err := passwordHash()
	must.OK(b, err)
	t := Tenant{ID: uuid.New(), Name: name, Token: "token of " + name}
	t.Email = "user-" + t.ID.String() + "-test@example.com" // an ID can end in "ada", and a case looks for ada@example.com
	b.Exec(`INSERT INTO tenants (id, name) VALUES ($1, $2)`, t.ID, t.Name)
	b.Exec(`INSERT INTO users (id, tenant_id, email, password_hash) VALUES ($1, $1, $2, $3)`, t.ID, t.Email, hash)
	b.Exec(`INSERT INTO api_tokens (token_hash, tenant_id, name, scope) VALUES ($1, $2, 'test', $3)`, account.HashToken(t.Token), t.ID,
		strings.Join(b.Replica.Scopes(), " "))
	return t
}

// Replica is a replica of the server.
type Replica struct {
	*web.Server

	URL   string
	Pool  *pgxpool.Pool
	Store *idempotency.Store
}

// Config is the configuration of a replica.
type Config struct {
	web.Config

	People peoplepages.Config
	Pages  []func(*web.Site) // in addition to the common ones
}

// Serve starts a replica with a new pool. The settings change its configuration before.
func (b *Bundle) Serve(settings ...func(*Config)) *Replica {
	b.Helper()
	pool, err := pgxpool.NewWithConfig(b.Context(), b.DB.Pool.Config())
	must.OK(b, err)
	b.Cleanup(pool.Close)
	return b.ServeOn(pool, settings...)
}

// Today returns the current day of all servers in the tests. The dates in commands are near it.
func Today() date.Date { return date.Of(time.Date(2026, time.November, 27, 0, 0, 0, 0, time.UTC)) }

func today(*time.Location) date.Date { return Today() }

// secretKey is the key of every server in the tests.
func secretKey(t *testing.T) secretkey.Key {
	t.Helper()
	key, err := secretkey.Parse("MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=")
	must.OK(t, err)
	return key
}

// ServeOn starts a replica with a pool.
func (b *Bundle) ServeOn(pool *pgxpool.Pool, settings ...func(*Config)) *Replica {
	b.Helper()
	c := Config{Config: web.Config{
		Pool: pool, Log: slog.New(slog.NewTextHandler(logs{b}, nil)), Day: today,
		Store: &idempotency.Store{Pool: pool, Wait: 15 * time.Second, Timeout: 25 * time.Second, Observe: b.observe},
	}}
	c.People.Key = b.Key
	c.People.SignUp = true
	c.People.Forgot = func(ctx context.Context, email string) error {
		return link.Forgot(ctx, pool, secret.FromKey(c.People.Key), email)
	}
	for _, set := range slices.Concat(b.settings, settings) {
		set(&c)
	}
	c.Mount = site.Mount(c.People, true, false, c.Pages...)
	server, err := web.New(c.Config)
	must.OK(b, err)
	return &Replica{server, b.Listen(server.Handler), pool, c.Store}
}

// Listen serves a handler on a free port and returns its URL.
func (b *Bundle) Listen(h http.Handler) string {
	server := httptest.NewServer(h)
	b.Cleanup(func() {
		server.Close()
		server.Config.Handler = nil // testing keeps the server until the last test of a walk
	})
	return server.URL
}

// Impatient shortens the waits for locks.
func Impatient(c *Config) { c.Store.Wait = 100 * time.Millisecond }

func (b *Bundle) observe(_ context.Context, a idempotency.Attempt) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Attempts = append(b.Attempts, a)
}

// WantOutcomes compares the outcomes of all attempts so far, in any order, because some ran concurrently.
func (b *Bundle) WantOutcomes(want ...idempotency.Outcome) {
	b.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	var got []idempotency.Outcome
	for _, a := range b.Attempts {
		got = append(got, a.Outcome)
	}
	slices.Sort(got)
	slices.Sort(want)
	assert.Thatf(b, slices.Equal(got, want), "outcomes %v, want %v", got, want)
}

// ended counts the attempts so far.
func (b *Bundle) ended() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.Attempts)
}

// Forget removes the attempts recorded so far.
func (b *Bundle) Forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Attempts = nil
}

// Keeping makes a server keep attempts.
func Keeping(c *Config) { c.People.KeepAttempts = 7 * 24 * time.Hour }

// WithDemo turns on the demo of a server.
func WithDemo(c *Config) { c.People.Demo = []templates.DemoLogin{{}} }

// Member returns a member of a tenant, with the common password.
func (b *Bundle) Member(of Tenant) Tenant {
	b.Helper()
	hash, err := passwordHash()
	must.OK(b, err)
	of.Email = "user-" + uuid.NewString() + "-test@example.com"
	b.Exec(`INSERT INTO users (tenant_id, email, password_hash, role) VALUES ($1, $2, $3, 'member')`, of.ID, of.Email, hash)
	return of
}

// InstallationAdmin returns a logged-in browser of a new user of a tenant, who is an admin of the installation and otherwise read-only.
func (b *Bundle) InstallationAdmin(at *Replica, of Tenant) *Client {
	b.Helper()
	of = b.ReadOnly(of)
	b.Exec(`
		INSERT INTO installation_admins (tenant_id, user_id, generation)
		SELECT tenant_id, id, session_generation FROM users WHERE email = $1`, of.Email)
	return b.Person(at, of)
}

// ReadOnly returns a read-only user of a tenant.
func (b *Bundle) ReadOnly(of Tenant) Tenant {
	b.Helper()
	of = b.Member(of)
	b.Exec(`UPDATE users SET role = 'read-only' WHERE email = $1`, of.Email)
	return of
}
