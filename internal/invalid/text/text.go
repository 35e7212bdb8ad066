// Package text holds what a text that somebody typed may contain. docs/text.md is the same for people.
package text

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ErrLong means that a text has too many characters.
var ErrLong = errors.New("text too long")

// A CharacterError is a character that a text must not have.
type CharacterError struct {
	After  string // the word before it, or the last part of a long one; "" at the beginning
	Symbol bool   // some fonts show it, each in another way (private use); else nobody can see it
}

func (e *CharacterError) Error() string {
	return fmt.Sprintf("text with a hidden character after %q", e.After)
}

// Clean removes the invisible characters that come along with copied text and without which nothing is lost: zero-width spaces, soft
// hyphens, byte order marks, and marks of direction. Overrides of direction stay: without them, people would read something else. The
// bullet of Word's Symbol font becomes one that every font has.
func Clean(typed string) string { return unseen.Replace(typed) }

// Both replacers are made once: making one costs more than using it on a text as short as these.
var (
	unseen = strings.NewReplacer(
		"\u00ad", "", "\u200b", "", "\u2060", "", "\ufeff", "", // soft hyphen, zero-width space, word joiner, byte order mark
		"\u061c", "", "\u200e", "", "\u200f", "", // marks
		"\u202a", "", "\u202b", "", "\u202c", "", "\u2066", "", "\u2067", "", "\u2068", "", "\u2069", "", // embeddings, isolates
		"\uf0b7", "•",
	)
	oneLine = strings.NewReplacer("\n", " ", "\t", " ")
)

// Line returns a text of one line, as [Clean] leaves it, with single spaces between its words and none around them. It returns
// [ErrLong] above limit characters, or a [*CharacterError].
func Line(typed string, limit int) (string, error) {
	line := strings.Join(strings.Fields(Clean(typed)), " ")
	return line, check(line, limit)
}

// Lines returns a text of any number of lines, as [Clean] leaves it, which end with a line feed and may hold tabs, without space
// around it. It returns [ErrLong] above limit characters, or a [*CharacterError].
func Lines(typed string, limit int) (string, error) {
	lines := strings.TrimSpace(strings.ReplaceAll(Clean(typed), "\r\n", "\n"))
	return lines, check(oneLine.Replace(lines), limit)
}

func check(s string, limit int) error {
	for i, r := range s {
		if isHidden(r) || r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError)) {
			return &CharacterError{After: lastWord(s[:i]), Symbol: unicode.Is(unicode.Co, r)}
		}
	}
	if utf8.RuneCountInString(s) > limit {
		return ErrLong
	}
	return nil
}

// lastWord returns at most 20 characters.
func lastWord(s string) string {
	words := strings.Fields(s)
	if len(words) == 0 {
		return ""
	}
	last := []rune(words[len(words)-1])
	return string(last[max(0, len(last)-20):])
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
