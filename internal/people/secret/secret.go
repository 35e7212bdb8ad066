// Package secret makes what is shown once: API tokens, and links to choose a password. Such a secret is derived from the
// session of whoever asks for it, so that a repeat in the same session shows the same one. The database has only its
// hash, and cannot make it again: of a session it has a hash too.
package secret

import (
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"

	"github.com/google/uuid"
)

// Seed is what the secrets of one session are derived from. It prints as nothing of itself.
type Seed struct{ key string }

// FromSession returns the seed of a session, whose token is random and known to its browser only.
func FromSession(token string) Seed {
	key, err := hkdf.Key(sha256.New, []byte(token), nil, "onlyonce: secrets that are shown once", sha256.Size)
	if err != nil {
		panic(err) // cannot be: it is short enough
	}
	return Seed{string(key)}
}

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
