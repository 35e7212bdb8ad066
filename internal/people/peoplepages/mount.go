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

// pages has what these pages share.
type pages struct {
	*web.Site

	people *web.Mounted[user.User]
	tokens *web.Mounted[token.Token]
	kept   time.Duration         // for which attempts are; 0 if none are
	key    secretkey.Key         // the key of the secrets of links; zero derives them from sessions
	probes *httprate.RateLimiter // emails of other tenants that were met
}

// Mount mounts the settings with the parts that only owners see. kept is for how long attempts are kept, 0 if none are, and key is that
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
