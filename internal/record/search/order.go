package search

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"onlyonce/internal/record"
)

// Order is a sort order: a column, and a second one that distinguishes equal values.
type Order struct {
	Columns    [2]Column
	Descending bool
}

// Column is a column by which a list is sorted.
type Column struct {
	Name string // in the table
	Type string // "date", "integer", "bigint", "uuid" or "text"
}

// extreme returns a value that sorts before or after all values of the column.
func (c Column) extreme(last bool) string {
	switch c.Type {
	case "date":
		return map[bool]string{false: "-infinity", true: "infinity"}[last]
	case "uuid":
		return map[bool]uuid.UUID{false: uuid.Nil, true: uuid.Max}[last].String()
	case "integer":
		return strconv.FormatInt(map[bool]int64{false: math.MinInt32, true: math.MaxInt32}[last], 10)
	case "bigint":
		return strconv.FormatInt(map[bool]int64{false: math.MinInt64, true: math.MaxInt64}[last], 10)
	default:
		return map[bool]string{false: "", true: "\U0010FFFF"}[last]
	}
}

// from returns the key after which a page begins, or [record.ErrKey].
func (o Order) from(p record.Page) (from record.Key, err error) {
	for i, c := range o.Columns {
		switch {
		case p.From == record.Key{}:
			from[i] = c.extreme(o.Descending)
		case !c.has(p.From[i]):
			return p.From, record.ErrKey
		default:
			from[i] = p.From[i]
		}
	}
	return from, nil
}

// has reports whether a text is a valid value of the column.
func (c Column) has(text string) bool {
	var err error
	switch c.Type {
	case "date":
		day, err := time.Parse(time.DateOnly, text)
		return err == nil && day.Year() > 0 // PostgreSQL knows no year 0
	case "uuid":
		_, err = uuid.Parse(text)
	case "integer":
		_, err = strconv.ParseInt(text, 10, 32)
	case "bigint":
		_, err = strconv.ParseInt(text, 10, 64)
	default:
		return utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
	}
	return err == nil
}
