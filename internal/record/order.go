package record

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Order is how a list is sorted: by a column, and by another one that tells equal ones apart.
type Order struct {
	Columns    [2]Column
	Descending bool
}

// Column is a column that a list is sorted by.
type Column struct {
	Name string // in the table
	Type string // "date", "bigint", "integer", "uuid" or "text"
}

// start is a key before all others: in the order if forward, and behind all others else.
func (o Order) start() Key {
	var key Key
	for i, c := range o.Columns {
		key[i] = c.extreme(o.Descending)
	}
	return key
}

func (c Column) extreme(last bool) string {
	switch c.Type {
	case "date":
		return map[bool]string{false: "-infinity", true: "infinity"}[last]
	case "uuid":
		return map[bool]uuid.UUID{false: uuid.Nil, true: uuid.Max}[last].String()
	case "bigint":
		return strconv.FormatInt(map[bool]int64{false: math.MinInt64, true: math.MaxInt64}[last], 10)
	case "integer":
		return strconv.FormatInt(map[bool]int64{false: math.MinInt32, true: math.MaxInt32}[last], 10)
	default:
		return map[bool]string{false: "", true: "\U0010FFFF"}[last]
	}
}

// from is where a page begins; the error is [ErrKey].
func (o Order) from(p Page) (Key, error) {
	if p.From == (Key{}) {
		return o.start(), nil
	}
	for i, c := range o.Columns {
		if !c.has(p.From[i]) {
			return p.From, ErrKey
		}
	}
	return p.From, nil
}

// has says whether a text is a value of the column.
func (c Column) has(text string) bool {
	var err error
	switch c.Type {
	case "date":
		day, err := time.Parse(time.DateOnly, text)
		return err == nil && day.Year() > 0 // PostgreSQL knows no year 0
	case "uuid":
		_, err = uuid.Parse(text)
	case "bigint":
		_, err = strconv.ParseInt(text, 10, 64)
	case "integer":
		_, err = strconv.ParseInt(text, 10, 32)
	default:
		return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
	}
	return err == nil
}
