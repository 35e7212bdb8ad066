package webhook

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"errors"
	"slices"

	"github.com/google/uuid"

	"onlyonce/internal/value/secretkey"
)

// Vault seals secrets of sources, so that nobody who has the database alone can read them or put others in their place.
type Vault struct{ key secretkey.Key }

// NewVault returns the vault of the program's secret key. With the zero key it seals nothing, and nothing can be added.
func NewVault(key secretkey.Key) Vault { return Vault{key} }

// gcm is AES-256-GCM.
func (v Vault) gcm() cipher.AEAD {
	block, err := aes.NewCipher(v.key.Derive("webhook secrets"))
	if err != nil {
		panic(err) // can't happen: the key has 32 bytes
	}
	sealer, err := cipher.NewGCM(block)
	if err != nil {
		panic(err) // can't happen: AES has blocks of 16 bytes
	}
	return sealer
}

// Seal returns a secret as it is stored. The nonce is derived from what is sealed, since work may use no chance: the same nonce
// comes only with the same secret of the same source, which says that they are the same and no more.
func (v Vault) Seal(secret string, tenant, source uuid.UUID) []byte {
	sealer, of := v.gcm(), slices.Concat(tenant[:], source[:])
	nonce := v.key.Derive("webhook secrets: nonce of " + string(of) + secret)[:sealer.NonceSize()]
	return sealer.Seal(nonce, nonce, []byte(secret), of)
}

// errSealed means that a secret was sealed with another key, or for another source.
var errSealed = errors.New("a webhook secret cannot be opened with this SECRET_KEY")

// open returns a secret that was sealed for a source.
func (v Vault) open(sealed []byte, tenant, source uuid.UUID) (string, error) {
	sealer := v.gcm()
	if v.key.IsZero() || len(sealed) < sealer.NonceSize() {
		return "", errSealed
	}
	nonce, text := sealed[:sealer.NonceSize()], sealed[sealer.NonceSize():]
	secret, err := sealer.Open(nil, nonce, text, slices.Concat(tenant[:], source[:]))
	if err != nil {
		return "", errSealed
	}
	return string(secret), nil
}

// Typed is a secret that somebody has typed, with the vault that it goes into. It prints as nothing of itself, and a fingerprint has
// a digest of it that nobody can try guesses on without the key.
type Typed struct {
	vault Vault
	text  string
}

// MarshalText returns the digest, for the fingerprint of a command.
func (t Typed) MarshalText() ([]byte, error) {
	return base64.StdEncoding.AppendEncode(nil, t.vault.key.Derive("webhook secrets: fingerprint of "+t.text)), nil
}

// String keeps the secret out of logs.
func (Typed) String() string { return "[webhook secret]" }

// GoString keeps the secret out of logs.
func (Typed) GoString() string { return "[webhook secret]" }

func (t Typed) seal(tenant, source uuid.UUID) []byte { return t.vault.Seal(t.text, tenant, source) }
