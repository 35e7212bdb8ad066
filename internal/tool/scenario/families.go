package scenario

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Family is a file of scenarios in e2e.
type Family struct {
	File  string // such as buttons_test.go
	Title string
}

// row matches a family in the table of docs/e2e.md.
var row = regexp.MustCompile(`(?m)^\| \[(.+)\]\(\.\./e2e/(\w+_test\.go)\) \|`)

// families returns the titles in docs/e2e.md, in the order of its table. There are none if the suite was packed without it.
func families(e2e string) (all []Family, err error) {
	page, err := os.ReadFile(filepath.Join(e2e, "../docs/e2e.md"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, found := range row.FindAllStringSubmatch(string(page), -1) {
		all = append(all, Family{found[2], found[1]})
	}
	return all, nil
}

// titleOfFile derives a title from the name of a file that has no row.
func titleOfFile(file string) string {
	words := strings.ReplaceAll(strings.TrimSuffix(file, "_test.go"), "_", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}
