package check

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestPlainEnglish bounds the share of comment lines and of sentences in documents that have a turn of phrase by which comments avoid
// their subject: STYLE.md, "Reasons". Some of these are good English here and there, so a few are allowed.
func TestPlainEnglish(t *testing.T) {
	t.Parallel()
	const allowed = 0.02
	comments, sentences, err := prose("../../..")
	if err != nil || len(comments) < 1000 || len(sentences) < 300 {
		t.Fatalf("read %d comment lines and %d sentences: %v", len(comments), len(sentences), err)
	}
	for what, lines := range map[string][]string{"comment lines": comments, "sentences of documents": sentences} {
		var found []string
		for _, line := range lines {
			if _, text, _ := strings.Cut(line, ": "); roundabout.MatchString(text) {
				found = append(found, line)
			}
		}
		if share := float64(len(found)) / float64(len(lines)); share > allowed {
			slices.Sort(found)
			t.Errorf("%.1f %% of %d %s are roundabout, and %.0f %% are allowed:\n%s",
				100*share, len(lines), what, 100*allowed, strings.Join(found[:min(len(found), 200)], "\n"))
		}
	}
}

// roundabout matches the turns of phrase, which a noun and a verb replace: "returns", "reports whether", "the caller", "its".
var roundabout = regexp.MustCompile(strings.Join([]string{
	`\b(is|are) (what|those|that of|who|how|whether|where|when)\b`,
	`\b(says?|tells?|told|gives?|said)\b`,
	`\bstands?\b`,
	`\bof (which|whom|those|it|them|one|another|others|somebody|whoever|ours|its own)\b`,
	`\b(whatever|whoever|whomever|whichever)\b`,
	`\b(somebody|nobody|anybody|everybody)\b`,
	`\bwhat (is|was|has|it|they|a|the|an|others|people|somebody|were|came|comes|stands|this)\b`,
	`\b(by (itself|themselves)|of (its|their) own)\b`,
	`\b(likewise|alike)\b`,
	`\bbut for\b`,
}, "|"))

// prose returns the comment lines and the sentences of documents in a tree, each behind its place, without migrations, as a released one
// never changes, without generated code and verdicts, and without the descriptions of other apps.
func prose(root string) (comments, sentences []string, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") && d.Name() != ".ci" ||
			slices.Contains([]string{"node_modules", "testdata", "dist", "verdicts", "apps"}, d.Name())):
			return fs.SkipDir
		case d.IsDir(), strings.HasSuffix(path, "_templ.go"), strings.HasSuffix(path, ".sql") && strings.Contains(path, "/migrations/"):
			return nil
		}
		comment := commentIn(path)
		if comment == nil && filepath.Ext(path) != ".md" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		place := strings.TrimPrefix(path, root+"/") + ": "
		if comment == nil {
			for _, sentence := range sentencesOf(string(text)) {
				sentences = append(sentences, place+sentence)
			}
			return nil
		}
		for line := range strings.Lines(string(text)) {
			if found := comment.FindStringSubmatch(strings.TrimSpace(line)); found != nil {
				comments = append(comments, place+found[1])
			}
		}
		return nil
	})
	return comments, sentences, err
}

// commentIn returns an expression that matches a line with a comment in a file, which is the first group; nil if it has none.
func commentIn(path string) *regexp.Regexp {
	switch filepath.Ext(path) {
	case ".go", ".templ":
		return goComment
	case ".sql":
		return sqlComment
	case ".js", ".mjs", ".css":
		return scriptComment
	case ".sh", ".yml", "":
		return shellComment
	default:
		return nil
	}
}

var (
	goComment     = regexp.MustCompile(`(?:^|\s)// (.*)$`)
	sqlComment    = regexp.MustCompile(`(?:^|\s)-- (.*)$`)
	scriptComment = regexp.MustCompile(`^(?:/\*\*?|\*|//) (.*)$`)
	shellComment  = regexp.MustCompile(`^# (.*)$`)
)

// sentencesOf returns the sentences of a document outside of code, tables, quotes and the targets of links.
func sentencesOf(text string) (all []string) {
	for _, left := range []*regexp.Regexp{fence, code, link, tableRow, quote} {
		text = left.ReplaceAllString(text, "…")
	}
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		for _, sentence := range sentenceEnd.Split(strings.Join(strings.Fields(paragraph), " "), -1) {
			if strings.Contains(sentence, " ") {
				all = append(all, sentence)
			}
		}
	}
	return all
}

var (
	tableRow    = regexp.MustCompile(`(?m)^\|.*$`)
	quote       = regexp.MustCompile(`(?s)["“].{1,200}?["”]`)
	sentenceEnd = regexp.MustCompile(`[.!?](?:\s+|$)`)
)
