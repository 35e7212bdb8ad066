// Package text holds what a text that somebody typed may contain. docs/text.md is the same for people.
package text

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	// ErrLong means that a text has too many characters.
	ErrLong = errors.New("text too long")
	// ErrHidden means that a text holds characters that nobody can see: control characters, invisible ones,
	// or those that change the direction of writing.
	ErrHidden = errors.New("text with hidden characters")
)

// Line returns a text of one line with single spaces between its words and none around them. It returns
// [ErrLong] above limit characters, or [ErrHidden].
func Line(typed string, limit int) (string, error) {
	line := strings.Join(strings.Fields(typed), " ")
	return line, check(line, limit)
}

// Lines returns a text of any number of lines, which end with a line feed and may hold tabs, without space
// around it. It returns [ErrLong] above limit characters, or [ErrHidden].
func Lines(typed string, limit int) (string, error) {
	lines := strings.TrimSpace(strings.ReplaceAll(typed, "\r\n", "\n"))
	return lines, check(oneLine.Replace(lines), limit)
}

// oneLine is made once: making it costs more than using it on a text as short as these.
var oneLine = strings.NewReplacer("\n", " ", "\t", " ")

func check(s string, limit int) error {
	switch {
	case !utf8.ValidString(s) || strings.ContainsFunc(s, isHidden):
		return ErrHidden
	case utf8.RuneCountInString(s) > limit:
		return ErrLong
	default:
		return nil
	}
}

// isHidden goes by Unicode's general categories. PRECIS (RFC 8264) would also refuse a middle dot between
// words and most emoji, which is right for names of accounts and not for names of people and goods.
func isHidden(r rune) bool {
	if ' ' <= r && r <= '~' {
		return false // like nearly all there are, and the tables take long to say so
	}
	switch r {
	case '\u200c', '\u200d': // the joiners, without which Persian, Hindi and emoji fall apart
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp,
		unicode.Other_Default_Ignorable_Code_Point)
}

// FileName returns a name that every system takes as one of a file in the current directory.
func FileName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case '0' <= r && r <= '9', 'A' <= r && r <= 'Z', 'a' <= r && r <= 'z', r == '.', r == '_', r == '-':
			return r
		default:
			return '-'
		}
	}, name)
	return strings.TrimLeft(name, ".-")
}
