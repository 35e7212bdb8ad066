// Package secretkey has the single secret of the program. Each use derives a separate key from it, so that a leaked key does not help
// with another use.
package secretkey

import (
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// size is the length of a key, in bytes.
const size = 32

// Key is a secret key, or the zero value if there is none. Printing it does not reveal it.
type Key struct{ bytes [size]byte }

// Parse parses a key: 32 random bytes in base64.
func Parse(text string) (Key, error) {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(raw) != size || [size]byte(raw) == [size]byte{} {
		return Key{}, errors.New("it must be 32 random bytes in base64: make one with openssl rand -base64 32")
	}
	return Key{[size]byte(raw)}, nil
}

// Keep returns the key in the file secret.key of a directory, and creates the file if it does not exist. Concurrent calls return the same
// key.
func Keep(dir string) (Key, error) {
	path := filepath.Join(dir, "secret.key")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = create(dir, path); err == nil {
			text, err = os.ReadFile(path)
		}
	}
	if err != nil {
		return Key{}, fmt.Errorf("keep the secret key: %w", err)
	}
	key, err := Parse(strings.TrimSpace(string(text)))
	if err != nil {
		return Key{}, fmt.Errorf("read %s: %w", path, err)
	}
	return key, nil
}

// create creates the complete file or none, and does not overwrite an existing one.
func create(dir, path string) error {
	raw := make([]byte, size)
	_, _ = rand.Read(raw) // never fails
	file, err := os.CreateTemp(dir, "secret.key.*")
	if err != nil {
		return fmt.Errorf("create: %w", err)
	}
	defer func() { _ = os.Remove(file.Name()) }() // the link stays
	_, err = file.WriteString(base64.StdEncoding.EncodeToString(raw) + "\n")
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = os.Link(file.Name(), path)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("create: %w", err)
	}
	return nil
}

// IsZero reports whether there is no key.
func (k Key) IsZero() bool { return k == Key{} }

// Derive returns the key for a purpose, 256 bits (HKDF with SHA-256, RFC 5869).
func (k Key) Derive(purpose string) []byte {
	key, err := hkdf.Key(sha256.New, k.bytes[:], nil, "onlyonce: "+purpose, size)
	if err != nil {
		panic(err) // can't happen: the key is short enough
	}
	return key
}

// String hides the key in logs.
func (Key) String() string { return "[secret key]" }

// GoString hides the key in logs.
func (Key) GoString() string { return "[secret key]" }
