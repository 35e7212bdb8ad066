// Package text checks the characters of entered texts. docs/text.md describes the rules for users.
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

// CharacterError means that a text has a character that it must not have.
type CharacterError struct {
	After  string // the end of the word before it; "" at the beginning
	Symbol bool   // a private-use character, which each font shows differently; otherwise it is invisible
}

func (e *CharacterError) Error() string {
	return fmt.Sprintf("text with a hidden character after %q", e.After)
}

// Clean removes invisible characters that copied text often has and that can be dropped without loss: zero-width spaces, soft hyphens,
// byte order marks, and directional marks. It keeps directional overrides, because the text reads differently without them. It replaces
// the bullet of Word's Symbol font with one that every font has.
func Clean(typed string) string { return unseen.Replace(typed) }

// Both replacers are made once: making one costs more than applying it to a short text.
var (
	unseen = strings.NewReplacer(
		"\u00ad", "", "\u200b", "", "\u2060", "", "\ufeff", "", // soft hyphen, zero-width space, word joiner, byte order mark
		"\u061c", "", "\u200e", "", "\u200f", "", // marks
		"\u202a", "", "\u202b", "", "\u202c", "", "\u2066", "", "\u2067", "", "\u2068", "", "\u2069", "", // embeddings, isolates
		"\uf0b7", "•",
	)
	oneLine = strings.NewReplacer("\n", " ", "\t", " ")
)

// Line returns a cleaned single line, with single spaces between its words and none around them. It returns [ErrLong] above limit
// characters, or a [*CharacterError].
func Line(typed string, limit int) (string, error) {
	line := strings.Join(strings.Fields(Clean(typed)), " ")
	return line, check(line, limit)
}

// Lines returns a cleaned text of any number of lines without space around it. Lines end with a line feed, and may contain tabs. It
// returns [ErrLong] above limit characters, or a [*CharacterError].
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

// lastWord returns at most the last 20 characters of the last word.
func lastWord(s string) string {
	words := strings.Fields(s)
	if len(words) == 0 {
		return ""
	}
	last := []rune(words[len(words)-1])
	return string(last[max(0, len(last)-20):])
}

// isHidden uses Unicode's general categories. PRECIS (RFC 8264) would also refuse a middle dot between words and most emoji, which is
// right for account names but not for names of people and goods.
func isHidden(r rune) bool {
	if ' ' <= r && r <= '~' {
		return false // the common case; the tables are slow
	}
	switch r {
	case '\u200c', '\u200d': // the joiners, which Persian, Hindi and emoji need
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp,
		unicode.Other_Default_Ignorable_Code_Point)
}

// FileName converts a name to a file name that every system accepts, in the current directory.
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
