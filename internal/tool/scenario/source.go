// Package scenario makes a page of the browser scenarios in e2e, and decides whether a run has passed. It reads the
// output of go test -json, the comments above the tests, and the stories that the tests keep (see e2e/timeline_test.go).
package scenario

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Source is the documentation of the tests.
type Source struct {
	Families []Family
	about    map[string]string // by file: the comment at its beginning
	tests    map[string]test   // by name, such as TestDoubleClick
}

type test struct {
	file, story string
	place       int // in the file
}

// Read reads the tests in a directory.
func Read(directory string) (*Source, error) {
	files, err := filepath.Glob(filepath.Join(directory, "*_test.go"))
	if err != nil {
		return nil, fmt.Errorf("find the tests: %w", err)
	}
	s := &Source{about: map[string]string{}, tests: map[string]test{}}
	with := map[string]bool{}
	for _, path := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("read the tests: %w", err)
		}
		file := filepath.Base(path)
		with[file] = s.add(file, parsed)
	}
	listed, err := families(directory)
	if err != nil {
		return nil, err
	}
	for _, family := range listed {
		if with[family.File] {
			s.Families = append(s.Families, family)
		}
		delete(with, family.File)
	}
	for _, path := range files {
		if file := filepath.Base(path); with[file] {
			s.Families = append(s.Families, Family{file, titleOfFile(file)})
		}
	}
	return s, nil
}

// add adds the tests of a file, and reports whether it has any.
func (s *Source) add(file string, parsed *ast.File) (has bool) {
	for i, declared := range parsed.Decls {
		f, ok := declared.(*ast.FuncDecl)
		if ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") && f.Name.Name != "TestMain" {
			has = true
			s.tests[f.Name.Name] = test{file, plain(f.Doc, f.Name.Name), i}
		}
	}
	for _, comment := range parsed.Comments {
		if belongsToNothing(parsed, comment) {
			s.about[file] = plain(comment, "")
			break
		}
	}
	return has
}

// belongsToNothing reports whether a comment is about the whole file: it is above the declarations, and belongs to none.
func belongsToNothing(parsed *ast.File, comment *ast.CommentGroup) bool {
	for _, declared := range parsed.Decls {
		imports, ok := declared.(*ast.GenDecl)
		if ok && imports.Tok == token.IMPORT {
			continue
		}
		doc := parsed.Doc
		switch d := declared.(type) {
		case *ast.FuncDecl:
			doc = d.Doc
		case *ast.GenDecl:
			doc = d.Doc
		}
		return comment != doc && comment.End() < declared.Pos()
	}
	return false
}

// plain returns a comment as one paragraph, without the name at its beginning.
func plain(comment *ast.CommentGroup, name string) string {
	if comment == nil {
		return ""
	}
	text := strings.Join(strings.Fields(comment.Text()), " ")
	for _, end := range []string{": ", " "} {
		if rest, named := strings.CutPrefix(text, name+end); named && name != "" && rest != "" {
			return strings.ToUpper(rest[:1]) + rest[1:]
		}
	}
	return text
}

var word = regexp.MustCompile(`JavaScript|[A-Z]{2,}(?:[A-Z][a-z]|$)|[A-Z][a-z]*|[0-9]+`)

// titleOfTest turns a name into words: TestTwoTabsOfOneForm into Two tabs of one form.
func titleOfTest(name string) string {
	words := word.FindAllString(strings.TrimPrefix(name, "Test"), -1)
	for i, w := range words {
		if i > 0 && w != "JavaScript" && strings.ToUpper(w) != w || w == "A" && i > 0 {
			words[i] = strings.ToLower(w)
		}
	}
	return strings.Join(words, " ")
}

// familyOf returns the place of a test's family in the list.
func (s *Source) familyOf(name string) int {
	return slices.IndexFunc(s.Families, func(f Family) bool { return f.File == s.tests[name].file })
}

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
