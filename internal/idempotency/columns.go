package idempotency

import (
	"cmp"
	"crypto/sha256"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Column is a column that a field of a command sets.
type Column struct {
	// Name is the name of the column, of its argument, and of the field in the JSON of the command.
	Name string
	// Value is the SQL expression of the new value; "" for the argument.
	Value string
	// JSON has the value in the JSON of the row r, for [record.Table.Fields]; "" for the column under its name.
	JSON string

	field []int // see [reflect.Value.FieldByIndex]
}

// Columns are the columns that a command sets, in the order of its fields.
type Columns []Column

// ColumnsOf returns the columns of the fields of a command C, without those of an [External] and those with the tag column:"-", such as
// files and lines. The special columns have other SQL than a text. ColumnsOf panics if a special column has no field.
func ColumnsOf[C any](special ...Column) Columns {
	var all Columns
	command := reflect.TypeFor[C]()
	for _, f := range reflect.VisibleFields(command) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || !f.IsExported() || name == "-" || f.Tag.Get("column") == "-" ||
			command.Field(f.Index[0]).Type == reflect.TypeFor[External]() {
			continue
		}
		c := Column{Name: name}
		if i := slices.IndexFunc(special, func(s Column) bool { return s.Name == name }); i >= 0 {
			c = special[i]
		}
		c.Value, c.JSON, c.field = cmp.Or(c.Value, `@`+name), cmp.Or(c.JSON, `'`+name+`', r.`+name), f.Index
		all = append(all, c)
	}
	for _, s := range special {
		if !slices.ContainsFunc(all, func(c Column) bool { return c.Name == s.Name }) {
			panic("idempotency: no field of " + command.String() + " is named " + s.Name)
		}
	}
	return all
}

// Names returns the names, separated by commas.
func (cs Columns) Names() string { return cs.joined(func(c Column) string { return c.Name }) }

// Values returns the new values, in the order of the names.
func (cs Columns) Values() string { return cs.joined(func(c Column) string { return c.Value }) }

// JSON returns the fields for [record.Table.Fields].
func (cs Columns) JSON() string { return cs.joined(func(c Column) string { return c.JSON }) }

// In returns the new values as arguments of a database function, whose parameters are named like in_email.
func (cs Columns) In() string {
	return cs.joined(func(c Column) string { return `in_` + c.Name + ` => ` + c.Value })
}

func (cs Columns) joined(text func(Column) string) string {
	texts := make([]string, len(cs))
	for i, c := range cs {
		texts[i] = text(c)
	}
	return strings.Join(texts, ", ")
}

// Arguments returns the named arguments of the values for a command of the type of the columns.
func (cs Columns) Arguments(command any) pgx.NamedArgs {
	args := pgx.NamedArgs{}
	for _, c := range cs {
		args[c.Name] = reflect.ValueOf(command).FieldByIndex(c.field).Interface()
	}
	return args
}

// LinesArgument returns the lines of a command as JSON, for json_to_recordset. A command has a fingerprint, and so its lines have JSON: it
// panics if they have none.
func LinesArgument[L any](lines []L) string {
	text, err := json.Marshal(append([]L{}, lines...)) // never null
	if err != nil {
		panic(fmt.Sprintf("idempotency: encode lines: %v", err))
	}
	return string(text)
}

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
