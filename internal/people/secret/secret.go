// Package secret derives secrets: those of API tokens, and of links to choose a password. A repeated derivation returns the same secret,
// and the database has only its hash. The secret of a token is derived from the session that requests it, which the database has as a hash
// too. The secret of a link is derived from the program's key, so that a job can mail it.
package secret

import (
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"

	"github.com/google/uuid"

	"onlyonce/internal/value/secretkey"
)

// Seed is the key from which secrets are derived, of a session or of the program. Its printed form is empty.
type Seed struct{ key string }

// FromSession returns the seed of a session, whose token is random and known only to its browser.
func FromSession(token string) Seed {
	key, err := hkdf.Key(sha256.New, []byte(token), nil, "onlyonce: secrets that are shown once", sha256.Size)
	if err != nil {
		panic(err) // can't happen: it is short enough
	}
	return Seed{string(key)}
}

// FromKey returns the seed of the program.
func FromKey(key secretkey.Key) Seed { return Seed{string(key.Derive("links to choose a password"))} }

// String hides the seed in logs.
func (Seed) String() string { return "[seed]" }

// Derive returns the secret with an id, 256 bits as text. purpose separates secrets with different uses.
func (s Seed) Derive(purpose string, id uuid.UUID) string {
	secret, err := hkdf.Expand(sha256.New, []byte(s.key), purpose+"\x00"+string(id[:]), sha256.Size)
	if err != nil {
		panic(err) // can't happen: it is short enough
	}
	return base64.RawURLEncoding.EncodeToString(secret)
}
