// Package secret makes what only its owner may have: API tokens, and links to choose a password. Such a secret is derived, so that a
// repeat makes the same one, and the database has only its hash. The secret of a token is derived from the session that asks for
// it, of which the database has a hash too. That of a link is derived from the key of the program, so that a job can mail it.
package secret

import (
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"

	"github.com/google/uuid"

	"onlyonce/internal/value/secretkey"
)

// Seed is what secrets are derived from: those of one session, or those of the program. It prints as nothing of itself.
type Seed struct{ key string }

// FromSession returns the seed of a session, whose token is random and known to its browser only.
func FromSession(token string) Seed {
	key, err := hkdf.Key(sha256.New, []byte(token), nil, "onlyonce: secrets that are shown once", sha256.Size)
	if err != nil {
		panic(err) // cannot be: it is short enough
	}
	return Seed{string(key)}
}

// FromKey returns the seed of the program.
func FromKey(key secretkey.Key) Seed { return Seed{string(key.Derive("links to choose a password"))} }

// String keeps the seed out of logs.
func (Seed) String() string { return "[seed]" }

// Derive returns the secret with an id, 256 bits as text. purpose keeps secrets apart that are good for different things.
func (s Seed) Derive(purpose string, id uuid.UUID) string {
	secret, err := hkdf.Expand(sha256.New, []byte(s.key), purpose+"\x00"+string(id[:]), sha256.Size)
	if err != nil {
		panic(err) // cannot be: it is short enough
	}
	return base64.RawURLEncoding.EncodeToString(secret)
}
