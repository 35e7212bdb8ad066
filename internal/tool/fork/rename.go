package fork

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// ErrNothingToDo says that it was done before.
var ErrNothingToDo = errors.New("nothing to do")

// Rename gives the app in root, the top directory of a git repository, other names: in the contents and the names of
// all files but the license and the changelog, which tell the past. What is generated from templates is generated
// anew. It returns how many files it changed, and commits nothing.
//
// The error is [ErrNothingToDo], a [*DirtyError], or says why the names or the tree cannot be used; then nothing was
// changed. An app is renamed once: who knows where a name such as Ledger is that of the app, and where a word?
func Rename(ctx context.Context, root string, old, to Names) (changed int, err error) {
	switch {
	case to == old:
		return 0, ErrNothingToDo
	case old.Renamed():
		return 0, fmt.Errorf("the app was renamed to %s already, which may be a word of its texts by now: "+
			"rename it in the commit before that", old.Product)
	}
	for _, name := range []string{to.Module, to.Product, to.Slug} { // the rules below would find it there again
		if to.Slug != old.Slug && strings.Contains(strings.ToLower(name), old.Slug) {
			return 0, fmt.Errorf("%q contains the old name", name)
		}
	}
	tree, err := openTree(ctx, root)
	if err != nil {
		return 0, err
	}
	rules := replacements(old, to)
	for _, path := range tree.files {
		if base := filepath.Base(path); base == "LICENSE" || strings.HasPrefix(base, "CHANGELOG") {
			continue
		}
		text, ok, err := tree.text(path)
		if err != nil {
			return changed, err
		}
		if !ok {
			continue
		}
		renamed := rules.apply(text)
		target := rules.apply(path)
		if renamed == text && target == path {
			continue
		}
		if err := tree.write(path, target, renamed); err != nil {
			return changed, err
		}
		changed++
	}
	return changed, tree.generate(ctx)
}

// replacement is a place where a name stands, and what stands there afterwards.
type replacement struct {
	where *regexp.Regexp
	with  string
}

type replacementList []replacement

func (l replacementList) apply(text string) string {
	for _, r := range l {
		text = r.where.ReplaceAllString(text, r.with)
	}
	return text
}

// replacements are applied in their order: the module and the slug may be one word, which the surroundings tell apart.
func replacements(old, to Names) replacementList {
	module, slug, product := regexp.QuoteMeta(old.Module), regexp.QuoteMeta(old.Slug), regexp.QuoteMeta(old.Product)
	return replacementList{
		{regexp.MustCompile(`(\b[Mm]odule(?: |: *| *= *)"?|local-prefixes: \[)` + module + `\b`), "${1}" + to.Module},
		{regexp.MustCompile("(?m)(^|[\\s\"'`\\[,=(])" + module + `/([a-z*.])`), "${1}" + to.Module + "/${2}"},
		{regexp.MustCompile(product), to.Product},
		{regexp.MustCompile(strings.ToUpper(slug)), strings.ToUpper(to.Slug)},
		{regexp.MustCompile(`(?i)` + slug), to.Slug},
		{regexp.MustCompile(`\b` + old.Token), to.Token},
		{regexp.MustCompile(`only-once-demo`), "demo-password"},
	}
}
