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

// Vault encrypts secrets of sources, so that access to the database alone does not suffice to read or replace them.
type Vault struct{ key secretkey.Key }

// NewVault returns the vault of the program's secret key. With the zero key it can't seal, and no secret can be added.
func NewVault(key secretkey.Key) Vault { return Vault{key} }

// gcm returns AES-256-GCM with the vault's key.
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

// Seal returns a secret in its stored form. The nonce is derived from the input, because work must not use randomness: the same nonce
// occurs only with the same secret of the same source, which reveals only that they are the same.
func (v Vault) Seal(secret string, tenant, source uuid.UUID) []byte {
	sealer, of := v.gcm(), slices.Concat(tenant[:], source[:])
	nonce := v.key.Derive("webhook secrets: nonce of " + string(of) + secret)[:sealer.NonceSize()]
	return sealer.Seal(nonce, nonce, []byte(secret), of)
}

// errSealed means that a secret was sealed with another key, or for another source.
var errSealed = errors.New("a webhook secret cannot be opened with this SECRET_KEY")

// open decrypts a secret that was sealed for a source.
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

// Typed is a typed secret with the vault that seals it. Printing it does not reveal it, and a fingerprint has a digest of it that can't
// be brute-forced without the key.
type Typed struct {
	vault Vault
	text  string
}

// MarshalText returns the digest, for the fingerprint of a command.
func (t Typed) MarshalText() ([]byte, error) {
	return base64.StdEncoding.AppendEncode(nil, t.vault.key.Derive("webhook secrets: fingerprint of "+t.text)), nil
}

// String hides the secret in logs.
func (Typed) String() string { return "[webhook secret]" }

// GoString hides the secret in logs.
func (Typed) GoString() string { return "[webhook secret]" }

func (t Typed) seal(tenant, source uuid.UUID) []byte { return t.vault.Seal(t.text, tenant, source) }
