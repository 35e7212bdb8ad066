package app

import (
	"context"
	"net/url"

	"github.com/riverqueue/river"

	"onlyonce/internal/mailer"
	"onlyonce/internal/people/link"
	"onlyonce/internal/people/secret"
)

// addLinkMails adds the jobs that mail links to choose a password.
func (a *App) addLinkMails(workers *river.Workers, mails mailer.Config) error {
	worker, err := link.NewWorker(mails, secret.FromKey(a.config.SecretKey), a.outside())
	if err != nil {
		return err
	}
	river.AddWorker(workers, worker)
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

// forgot returns a function that mails links for forgotten passwords, or nil if its settings are missing.
func (a *App) forgot() func(ctx context.Context, email string) error {
	if missingForLinks(a.config) != "" {
		return nil
	}
	seed := secret.FromKey(a.config.SecretKey)
	return func(ctx context.Context, email string) error { return link.Forgot(ctx, a.pool, seed, email) }
}
