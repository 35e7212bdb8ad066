// Package peoplepages has the pages to log in, of accounts and of a business's settings, and for owners those of users, tokens and
// attempts. Admins of the installation have lists of all tenants, of their users, and of failed jobs.
package peoplepages

import (
	"context"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/go-chi/httprate"
	"golang.org/x/sync/semaphore"

	"onlyonce/internal/people/business"
	"onlyonce/internal/people/token"
	"onlyonce/internal/people/user"
	"onlyonce/internal/value/secretkey"
	"onlyonce/internal/web"
	"onlyonce/templates"
)

// Config configures the pages.
type Config struct {
	KeepAttempts time.Duration // retention of attempts; 0 if they are not kept
	Key          secretkey.Key // of the program; from a zero key, sessions derive the secrets of links
	// Forgot mails the user of an email, if there is one, a link to choose a password; nil where no mail with a link can be sent.
	Forgot func(ctx context.Context, email string) error
	// Command is the shell command that runs this program, which the login page shows while there is no user.
	Command string
	// Demo lists the logins that the login page offers. Without any, the demo is off: passwords, tokens
	// and sessions of demo tenants are refused.
	Demo []templates.DemoLogin
	// SignUp is set if people without a login may create a business, and ShowsLinks if pages show the link that is mailed otherwise.
	SignUp, ShowsLinks bool
	// Copies has what domains add to the file with all data of a business.
	Copies []business.Part
}

type pages struct {
	site      *web.Site
	config    Config
	people    *web.Mounted[user.User]
	tokens    *web.Mounted[token.Token]
	sessions  *scs.SessionManager
	known     knownTokens
	passwords *semaphore.Weighted   // that are checked now, see withPassword
	guesses   *web.Limit            // passwords for an email, see countGuess
	changes   *web.Limit            // of a user's password
	forgets   *web.Limit            // links for an email, see askLink
	probes    *httprate.RateLimiter // counts hits on emails of other tenants
}

// Mount mounts logins, accounts, the settings, and the pages for owners.
func Mount(s *web.Site, c Config) {
	p := newPages(s, c)
	p.mountLogins()
	p.mountSettings()
	owners := s.Owners("settings")
	p.mountData(owners)
	p.mountPeople(owners)
	p.mountTokens(owners)
	p.mountAttempts(owners)
	p.mountInstallation(s.Admins())
	if c.SignUp {
		p.mountSignUps()
	}
	s.ShowAttempts(p.recordAttempts)
	s.DocsWithin("settings")
}

func newPages(s *web.Site, c Config) *pages {
	return &pages{
		site: s, config: c, sessions: newSessions(s), known: newTokens(s.Pool), passwords: semaphore.NewWeighted(passwordsAtOnce),
		guesses: s.NewLimit("passwords for", guessesAMinute), changes: s.NewLimit("passwords of", changesAMinute),
		forgets: s.NewLimit("links for", linksAMinute), probes: httprate.NewRateLimiter(probesAnHour, time.Hour),
	}
}
