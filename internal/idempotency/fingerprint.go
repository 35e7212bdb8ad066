package idempotency

import (
	"crypto/sha256"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
)

// Fingerprint is the SHA-256 of a decoded command's canonical JSON: its exported fields, in the order of the type. It is the same for a
// form and for JSON. It leaves out fields tagged `json:"-"`.
type Fingerprint [sha256.Size]byte

// FingerprintOf returns the fingerprint of a command. It returns an error if the command can't be encoded as JSON, which is a bug.
func FingerprintOf(command any) (Fingerprint, error) {
	canonical, err := json.Marshal(command)
	if err != nil {
		return Fingerprint{}, fmt.Errorf("fingerprint: %w", err)
	}
	return sha256.Sum256(canonical), nil
}

// mustFingerprint panics if the fingerprint would leave out a field of the command type that is not in except, because two different
// commands could then have the same fingerprint.
func mustFingerprint(operation string, command reflect.Type, except []string) {
	switch command.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		mustFingerprint(operation, command.Elem(), except)
		return
	case reflect.Struct:
	default:
		return
	}
	if implements[json.Marshaler](command) || implements[encoding.TextMarshaler](command) {
		return // the type decides which fields count
	}
	for field := range command.Fields() {
		inJSON := field.Tag.Get("json") != "-" && (field.IsExported() || field.Anonymous)
		switch {
		case slices.Contains(except, field.Name) && inJSON:
			panic(fmt.Sprintf("idempotency: %s: field %s of %s is in NotInFingerprint, and in its JSON all the same. Give it "+
				"the tag `json:\"-\"`", operation, field.Name, command))
		case slices.Contains(except, field.Name):
			continue
		}
		if !inJSON {
			panic(fmt.Sprintf("idempotency: %s: field %s of %s is not part of the fingerprint. Give it a JSON name, or name it in "+
				"NotInFingerprint if another value of it is still the same command", operation, field.Name, command))
		}
		mustFingerprint(operation, field.Type, except)
	}
}

func implements[I any](t reflect.Type) bool {
	wanted := reflect.TypeFor[I]()
	return t.Implements(wanted) || reflect.PointerTo(t).Implements(wanted)
}
