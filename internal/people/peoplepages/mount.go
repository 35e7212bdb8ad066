// Package peoplepages has the pages of a business's settings, and for owners those of users, tokens and attempts.
package peoplepages

import (
	"time"

	"github.com/go-chi/httprate"

	"onlyonce/internal/people/token"
	"onlyonce/internal/people/user"
	"onlyonce/internal/value/secretkey"
	"onlyonce/internal/web"
)

// pages has the dependencies of these pages.
type pages struct {
	*web.Site

	people *web.Mounted[user.User]
	tokens *web.Mounted[token.Token]
	kept   time.Duration         // retention of attempts; 0 if they are not kept
	key    secretkey.Key         // the key of the secrets of links; zero derives them from sessions
	probes *httprate.RateLimiter // counts hits on emails of other tenants
}

// Mount mounts the settings, and the pages for owners. kept is the retention of attempts, or 0 if they are not kept, and key is the key
// of the program.
func Mount(s *web.Site, kept time.Duration, key secretkey.Key) {
	p := &pages{Site: s, kept: kept, key: key, probes: httprate.NewRateLimiter(probesAnHour, time.Hour)}
	p.mountSettings()
	owners := s.Owners("settings")
	p.mountPeople(owners)
	p.mountTokens(owners)
	p.mountAttempts(owners)
	s.ShowAttempts(p.recordAttempts)
	s.DocsWithin("settings")
}
