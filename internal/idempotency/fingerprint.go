package idempotency

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
)

// Fingerprint is SHA-256 over the canonical JSON of a decoded command: its exported fields, in the
// order of the type. The same command is the same, whether it came as a form or as JSON. A field
// tagged `json:"-"` is not part of it.
type Fingerprint [sha256.Size]byte

// FingerprintOf returns an error if the command has no JSON form, which is a mistake in the program.
func FingerprintOf(command any) (Fingerprint, error) {
	canonical, err := json.Marshal(command)
	if err != nil {
		return Fingerprint{}, fmt.Errorf("fingerprint: %w", err)
	}
	return sha256.Sum256(canonical), nil
}
