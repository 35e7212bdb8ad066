package fork

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// ErrNothingToDo reports that the change was made before.
var ErrNothingToDo = errors.New("nothing to do")

// Rename renames the app in root, the top directory of a git repository: in the contents and the names of all files except the
// license, the changelog and the tutorial, which are about the past. Generated files and the catalog of the schema are generated again. It
// returns the number of changed files, and commits nothing.
//
// After an error, such as [ErrNothingToDo] or a [*DirtyError], nothing has changed. An app can be renamed only once: afterwards
// a name such as Ledger can't be distinguished from the word.
func Rename(ctx context.Context, root string, old, to Names) (changed int, err error) {
	switch {
	case to == old:
		return 0, ErrNothingToDo
	case old.Renamed():
		return 0, fmt.Errorf("the app was renamed to %s already, which may be a word of its texts by now: "+
			"rename it in the commit before that", old.Product)
	}
	tree, err := openTree(ctx, root)
	if err != nil {
		return 0, err
	}
	err = tree.change(ctx, func() error {
		changed, err = tree.rename(newReplacements(old, to))
		return err
	})
	return changed, err
}

// rename applies the rules to the contents and the names of files, and returns the number of changed files.
func (t *tree) rename(names replacements) (changed int, err error) {
	for _, path := range t.files {
		if base := filepath.Base(path); base == "LICENSE" || strings.HasPrefix(base, "CHANGELOG") || path == tutorial {
			continue
		}
		text, ok, err := t.text(path)
		if err != nil {
			return changed, err
		}
		if !ok {
			continue
		}
		renamed := names.apply(text)
		target := names.apply(path)
		if renamed == text && target == path {
			continue
		}
		if err := t.write(path, target, renamed); err != nil {
			return changed, err
		}
		changed++
	}
	return changed, nil
}

// replacements are the patterns around the names, and their replacements, in order. The new names come last: they may contain
// the old ones.
type replacements struct {
	places []place
	names  *strings.Replacer
}

type place struct {
	where *regexp.Regexp
	with  string
}

func (r replacements) apply(text string) string {
	for _, p := range r.places {
		text = p.where.ReplaceAllString(text, p.with)
	}
	return r.names.Replace(text)
}

// newReplacements handles the module before the slug: they may be the same word, distinguished by its context.
func newReplacements(old, to Names) replacements {
	const name = "\x00" // occurs in no text
	module, slug, product := regexp.QuoteMeta(old.Module), regexp.QuoteMeta(old.Slug), regexp.QuoteMeta(old.Product)
	return replacements{
		[]place{
			{regexp.MustCompile(`(\b[Mm]odule(?: |: *| *= *)"?|local-prefixes: \[)` + module + `\b`), "${1}" + name + "m"},
			{regexp.MustCompile("(?m)(^|[\\s\"'`\\[,=(])" + module + `/([a-z*.])`), "${1}" + name + "m/${2}"},
			{regexp.MustCompile(product), name + "p"},
			{regexp.MustCompile(strings.ToUpper(slug)), name + "S"},
			{regexp.MustCompile(`(?i)` + slug), name + "s"},
			{regexp.MustCompile(`\b` + old.Token), name + "t"},
			{regexp.MustCompile(`only-once-demo`), "demo-password"},
		},
		strings.NewReplacer(
			name+"m", to.Module, name+"p", to.Product, name+"S", strings.ToUpper(to.Slug), name+"s", to.Slug, name+"t", to.Token),
	}
}
