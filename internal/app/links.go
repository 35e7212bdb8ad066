package app

import (
	"cmp"
	"context"
	"errors"
	"net/url"

	"github.com/riverqueue/river"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/shared"
	"onlyonce/internal/mailer"
	"onlyonce/internal/people/link"
	"onlyonce/internal/people/secret"
	"onlyonce/internal/people/signup"
	"onlyonce/templates"
)

// addLinkMails adds the jobs that mail links to choose a password, and links of sign-ups.
func (a *App) addLinkMails(workers *river.Workers, mails mailer.Config) error {
	seed := secret.FromKey(a.config.SecretKey)
	passwords, err := link.NewWorker(mails, seed, a.outside(), templates.Product)
	if err != nil {
		return err
	}
	if a.config.Demo {
		mails.Server = nil // pages show the links
	}
	signUps, err := signup.NewWorker(mails, seed, a.outside(), templates.Product)
	if err != nil {
		return err
	}
	river.AddWorker(workers, passwords)
	river.AddWorker(workers, signUps)
	return nil
}

// outside returns the public URL, or "" if it is not configured. The Host header of a request is not used: a client could have a link to
// another server mailed.
func (a *App) outside() string {
	if a.config.PublicURL == "" && isLoopback(a.config.Addr) {
		return a.URL()
	}
	return a.config.PublicURL
}

// port returns the port that browsers use, or "" for the default one, and if it is unknown: replicas on one database may listen
// on several ports.
func (a *App) port() string {
	address := a.config.PublicURL
	if address == "" && a.config.DatabaseURL == "" {
		address = a.URL()
	}
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Port()
}

// signUp reports whether strangers may sign up: SIGN_UP is on, and the links can be mailed, or shown in the demo.
func (a *App) signUp() bool {
	return a.config.SignUp && (missingForLinks(a.config) == "" || a.showsLinks())
}

// showsLinks reports whether pages show the links of sign-ups, as the demo does, which mails none.
func (a *App) showsLinks() bool { return a.config.Demo && !a.config.SecretKey.IsZero() }

// forgot returns a function that mails links for forgotten passwords, or nil if its settings are missing.
func (a *App) forgot() func(ctx context.Context, email string) error {
	if missingForLinks(a.config) != "" {
		return nil
	}
	seed := secret.FromKey(a.config.SecretKey)
	return func(ctx context.Context, email string) error { return link.Forgot(ctx, a.pool, seed, email) }
}

// share connects to REDIS_URL, so that the replicas answer repeats for each other and have common limits.
func (a *App) share(store *idempotency.Store) error {
	if a.config.RedisURL == "" {
		return nil
	}
	if a.config.SecretKey.IsZero() {
		return &SettingError{"REDIS_URL", errors.New("what is shared is sealed with SECRET_KEY: set it too, the same for all replicas")}
	}
	memory, err := shared.Open(a.config.RedisURL, a.config.SecretKey.Derive("shared intents"), cmp.Or(a.limits.redis, shared.Patience),
		a.config.Log)
	if err != nil {
		return &SettingError{"REDIS_URL", err}
	}
	a.stops = append(a.stops, func(context.Context, context.Context) error { memory.Close(); return nil })
	store.Shared = &idempotency.Shared{Get: memory.Get, Put: memory.Put}
	a.allow = memory.Allow
	return nil
}
