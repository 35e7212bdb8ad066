package peoplepages

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/people/account"
	"onlyonce/internal/web"
)

// knownTokens finds valid API tokens, and remembers them for a few seconds. For that time, a token that was revoked at another replica is
// still valid.
type knownTokens struct {
	pool   *pgxpool.Pool
	known  *lru.Cache[string, remembered]
	forgot *atomic.Int64 // how often
}

// remembered is a cached principal of a token, with the end of the cache's validity.
type remembered struct {
	principal account.Principal
	until     time.Time
}

const (
	tokensRemembered   = 1024
	tokenRememberedFor = 5 * time.Second
)

func newTokens(pool *pgxpool.Pool) knownTokens {
	known, err := lru.New[string, remembered](tokensRemembered)
	if err != nil {
		panic(err) // cannot be: the size is positive
	}
	return knownTokens{pool, known, new(atomic.Int64)}
}

// forget empties the cache, so that a revoked token is refused from now on.
func (t knownTokens) forget() {
	t.forgot.Add(1)
	t.known.Purge()
}

func (t knownTokens) find(ctx context.Context, token string) (account.Principal, error) {
	hash := string(account.HashToken(token))
	if r, ok := t.known.Get(hash); ok && time.Now().Before(r.until) {
		return r.principal, nil
	}
	before := t.forgot.Load()
	p, err := account.FindToken(ctx, t.pool, token)
	if err == nil {
		t.known.Add(hash, remembered{p, time.Now().Add(tokenRememberedFor)})
	}
	if t.forgot.Load() != before { // it may have been revoked since it was read
		t.known.Remove(hash)
	}
	return p, err
}

// tokenCaller returns the caller with an API token, or [web.ErrUnauthorized].
func (s *pages) tokenCaller(ctx context.Context, token string) (web.Caller, error) {
	p, err := s.known.find(ctx, token)
	if errors.Is(err, account.ErrUnknown) || err == nil && !s.admits(p) {
		err = web.ErrUnauthorized
	}
	return callerOf(p, ""), err
}
