// Package secret makes what is shown once: API tokens, and links to choose a password. Such a secret is derived from the
// session of whoever asks for it, so that a repeat in the same session shows the same one. The database has only its
// hash, and cannot make it again: of a session it has a hash too.
package secret

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"

	"github.com/google/uuid"
)

// Seed is what the secrets of one session are derived from. It prints as nothing of itself.
type Seed struct{ key string }

// FromSession gives the seed of a session, whose token is random and known to its browser only.
func FromSession(token string) Seed {
	return Seed{string(mac(token, []byte("onlyonce: secrets that are shown once")))}
}

// String keeps the seed out of logs.
func (Seed) String() string { return "[seed]" }

// Derive gives the secret with an id, 256 bits as text. purpose keeps secrets apart that are good for different things.
func (s Seed) Derive(purpose string, id uuid.UUID) string {
	return base64.RawURLEncoding.EncodeToString(mac(s.key, append([]byte(purpose+"\x00"), id[:]...)))
}

func mac(key string, message []byte) []byte {
	h := hmac.New(sha256.New, []byte(key))
	h.Write(message)
	return h.Sum(nil)
}
