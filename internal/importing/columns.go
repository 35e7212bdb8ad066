package importing

import (
	"slices"
	"strings"
	"unicode"
)

// Field is a field of a record that a column can have.
type Field struct {
	Name, Label string
	// Joins is the text between the texts of several columns with the field; "" if only one column can have it.
	Joins string
	// Type determines how a text of the file is read, for example as a day, or as a number without thousands separators.
	Type Type
	// Read converts a text of the file; nil leaves it unchanged.
	Read func(string) string
	// Headings are the usual ones in lower case without spaces and punctuation, with spaces between them, the best first.
	Headings string
}

// Guess returns the likely field of each column, by its heading.
func (k *Kind) Guess(headings []string) []string {
	columns := make([]string, len(headings))
	for _, f := range k.Fields {
		known := strings.Fields(f.Headings)
		for n, at := range slices.Concat(matches(headings, known, []string{""}), matches(headings, known, k.prefixes)) {
			if columns[at] == "" && (n == 0 || f.Joins != "") {
				columns[at] = f.Name
			}
		}
	}
	return columns
}

// matches returns the places of the headings that are known behind one of some prefixes, the best first.
func matches(headings, known, prefixes []string) (places []int) {
	for _, wanted := range known {
		for at, heading := range headings {
			if slices.ContainsFunc(prefixes, func(prefix string) bool { return plain(heading) == prefix+wanted }) {
				places = append(places, at)
			}
		}
	}
	return places
}

// plain returns the letters and digits of a heading, without capitals.
func plain(heading string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

// values returns the texts of a row by the names of their fields, and a sentence about one that can't be read, or "".
func (k *Kind) values(s Settings, cells []string) (all map[string]string, problem string) {
	all = map[string]string{}
	for at, text := range cells {
		if at >= len(s.Columns) || text == "" {
			continue
		}
		n := slices.IndexFunc(k.Fields, func(f Field) bool { return f.Name == s.Columns[at] })
		if n < 0 {
			continue
		}
		f := k.Fields[n]
		value, ok := s.Read(text, f.Type)
		if !ok && problem == "" {
			problem = "“" + text + "” isn't " + f.Type.words(s) + ", for " + f.Label + "."
		}
		if text = value; f.Read != nil {
			text = f.Read(text)
		}
		if before := all[f.Name]; before != "" {
			text = before + f.Joins + text
		}
		all[f.Name] = text
	}
	return all, problem
}
