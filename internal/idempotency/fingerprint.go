package idempotency

import (
	"crypto/sha256"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
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

// mustFingerprint panics if a field of a command type would be left out of its fingerprint without being named:
// two different wishes would then be taken for one.
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
		return // it says itself what counts
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
