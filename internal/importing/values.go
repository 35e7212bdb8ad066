package importing

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Type determines how the texts of a field are read.
type Type string

// The types of fields.
const (
	Text   Type = ""
	Day    Type = "day"    // becomes 2026-11-29
	Number Type = "number" // becomes -1234.5
	Rate   Type = "rate"   // as "20% (VAT on Income)" becomes 20; a text without a number stays
)

// words returns the words for a value, in the form that the settings have.
func (t Type) words(s Settings) string {
	switch {
	case t == Day && s.DateOrder == "":
		return "a day in a known order"
	case t == Day:
		return "a day like " + map[DateOrder]string{DayFirst: "31/12/2026", MonthFirst: "12/31/2026"}[s.DateOrder] + " or 2026-12-31"
	case s.DecimalSign == Comma:
		return "a number with a decimal comma, like 1.234,50"
	default:
		return "a number with a decimal point, like 1,234.50"
	}
}

// DateOrder is the order of the parts of days such as 1/2/2026.
type DateOrder string

// The orders.
const (
	DayFirst   DateOrder = "dmy"
	MonthFirst DateOrder = "mdy"
)

// DecimalSign is the sign before the decimals of numbers.
type DecimalSign string

// The signs.
const (
	Point DecimalSign = "point"
	Comma DecimalSign = "comma"
)

// Read returns the value of a text of a type, and whether it can be read.
func (s Settings) Read(text string, as Type) (value string, ok bool) {
	if text == "" || as == Text || as == Rate && !rate.MatchString(text) {
		return text, true
	}
	first, other := as.both(text)
	switch {
	case first == other, as == Day && s.DateOrder == DayFirst, as != Day && s.DecimalSign == Point:
		value = first
	case as == Day && s.DateOrder == MonthFirst, as != Day && s.DecimalSign == Comma:
		value = other
	}
	return value, value != ""
}

var (
	// rate matches the number before the first percent sign, or a text that is a number.
	rate = regexp.MustCompile(`^(?:.*?([0-9][0-9.,]*)\s*%.*|\s*([0-9][0-9.,]*)\s*)$`)
	// clock matches the time behind a day.
	clock    = regexp.MustCompile(`[T ,]+[0-9]{1,2}:[0-9]{2}.*$`)
	byYear   = regexp.MustCompile(`^([0-9]{4})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})$`)
	byParts  = regexp.MustCompile(`^([0-9]{1,2})([-/.])([0-9]{1,2})[-/.]([0-9]{4}|[0-9]{2})$`)
	byPoint  = regexp.MustCompile(`^-?([0-9]+|[0-9]{1,3}(,[0-9]{3})+|[0-9]{1,3}(,[0-9]{2})*,[0-9]{3})?(\.[0-9]+)?$`)
	byLetter = []string{
		"2 Jan 2006", "2-Jan-2006", "2 January 2006", "Jan 2, 2006", "January 2, 2006", "Jan 2 2006", "2-Jan-06", "2. January 2006",
	}
)

// days returns a day as 2026-11-29, read with the day first and with the month first; "" where that is none.
func days(text string) (dmy, mdy string) {
	text = strings.TrimSpace(clock.ReplaceAllString(text, ""))
	if p := byYear.FindStringSubmatch(text); p != nil {
		day := isDay(p[1], p[2], p[3])
		return day, day
	}
	if p := byParts.FindStringSubmatch(text); p != nil {
		year := p[4]
		if len(year) == 2 {
			year = "20" + year
		}
		dmy, mdy = isDay(year, p[3], p[1]), isDay(year, p[1], p[3])
		if p[2] == "." { // only written with the day first
			mdy = dmy
		}
		return dmy, mdy
	}
	for _, layout := range byLetter {
		if day, err := time.Parse(layout, text); err == nil {
			return day.Format(time.DateOnly), day.Format(time.DateOnly)
		}
	}
	return "", ""
}

func isDay(year, month, day string) string {
	found, err := time.Parse("2006-1-2", year+"-"+month+"-"+day)
	if err != nil {
		return ""
	}
	return found.Format(time.DateOnly)
}

// numbers returns a number without thousands separators and currency signs, read with a decimal point and with a decimal comma; "" where
// that is none.
func numbers(text string) (point, comma string) {
	if !isAmount(text) {
		return "", ""
	}
	minus := ""
	if strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")") {
		minus = "-"
	}
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '−':
			return '-'
		case unicode.IsSpace(r), unicode.Is(unicode.Sc, r), unicode.IsLetter(r), strings.ContainsRune("()'’", r):
			return -1
		}
		return r
	}, text)
	if rest, behind := strings.CutSuffix(text, "-"); behind {
		text = "-" + rest
	}
	text = minus + text
	swapped := strings.NewReplacer(".", ",", ",", ".").Replace(text)
	return plainNumber(text), plainNumber(swapped)
}

// plainNumber returns a number with a decimal point without its commas, or "".
func plainNumber(text string) string {
	if !byPoint.MatchString(text) || !strings.ContainsAny(text, "0123456789") {
		return ""
	}
	return strings.ReplaceAll(text, ",", "")
}

// Survey is the result of reading the values of a whole file.
type Survey struct {
	// DateOrder and DecimalSign allow all values to be read; "" if both readings are possible, or neither.
	DateOrder   DateOrder
	DecimalSign DecimalSign
	// Days and Numbers are texts whose value depends on the order and the sign; "" if the file has none.
	Days, Numbers string

	apart map[[16]byte]bool // the groups whose rows are in several places
}

// settings returns the settings, with the detected ones in place of empty ones.
func (f Survey) settings(s Settings) Settings {
	s.DateOrder, s.DecimalSign = cmp.Or(s.DateOrder, f.DateOrder), cmp.Or(s.DecimalSign, f.DecimalSign)
	return s
}

// Detect returns the settings of an import with the order of days and the decimal sign of the file, unless they are set. It returns
// [ErrDeleted] if the file was deleted.
func (k *Kind) Detect(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, i Import) (Settings, Survey, error) {
	found, err := k.survey(ctx, pool, tenant, i)
	return found.settings(i.Settings), found, err
}

// survey reads the whole file.
func (k *Kind) survey(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, i Import) (f Survey, err error) {
	types := k.types(i.Columns)
	if k.group == nil && !slices.ContainsFunc(types, func(t Type) bool { return t != Text }) {
		return f, nil
	}
	f.apart = map[[16]byte]bool{}
	var days, numbers evidence
	seen, last := map[[16]byte]bool{}, ""
	err = k.rows(ctx, pool, tenant, i, func(row Row, group, _ string) error {
		if key := digest("group", group); group != "" && group != last {
			f.apart[key] = f.apart[key] || seen[key]
			seen[key] = true
		}
		last = group
		for at, text := range row.Cells[:min(len(row.Cells), len(types))] {
			switch types[at] {
			case Day:
				days.add(text, Day)
			case Number, Rate:
				numbers.add(text, types[at])
			case Text:
			}
		}
		return nil
	})
	f.Days, f.DateOrder = days.text, either(days, DayFirst, MonthFirst)
	f.Numbers, f.DecimalSign = numbers.text, either(numbers, Point, Comma)
	return f, err
}

// types returns the types of columns.
func (k *Kind) types(columns []string) []Type {
	all := make([]Type, len(columns))
	for at, name := range columns {
		for _, f := range k.Fields {
			if f.Name == name {
				all[at] = f.Type
			}
		}
	}
	return all
}

// evidence collects whether texts can be read in each of two ways.
type evidence struct {
	text                 string // the first whose value depends on the reading
	onlyFirst, onlyOther bool   // a text can be read in one way only
}

func (e *evidence) add(text string, as Type) {
	first, other := as.both(text)
	if first == other {
		return
	}
	e.text = cmp.Or(e.text, text)
	e.onlyFirst, e.onlyOther = e.onlyFirst || other == "", e.onlyOther || first == ""
}

// either returns the reading in which all texts can be read, or "" if both can, or neither.
func either[R ~string](e evidence, first, other R) R {
	switch {
	case e.onlyFirst && !e.onlyOther:
		return first
	case e.onlyOther && !e.onlyFirst:
		return other
	default:
		return ""
	}
}

// both returns the values of a text in its two readings.
func (t Type) both(text string) (first, other string) {
	switch t {
	case Day:
		return days(text)
	case Rate:
		found := rate.FindStringSubmatch(text)
		if found == nil {
			return "", ""
		}
		text = cmp.Or(found[1], found[2])
	case Number, Text:
	}
	return numbers(text)
}
