package check

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/must"
)

// TestPlainEnglish bounds the share of comment lines and of sentences in documents that have a turn of phrase by which comments avoid
// their subject: STYLE.md, "Reasons". Some of these are good English here and there, so a few are allowed.
func TestPlainEnglish(t *testing.T) {
	t.Parallel()
	const allowed = 0.02
	comments, sentences := prose(t)
	must.Thatf(t, len(comments) >= 1000 && len(sentences) >= 300, "read %d comment lines and %d sentences", len(comments), len(sentences))
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

// prose returns the comment lines and the sentences of documents, each behind its place, without migrations, as a released one
// never changes, without generated code and verdicts, and without the descriptions of other apps.
func prose(t *testing.T) (comments, sentences []string) {
	t.Helper()
	left := regexp.MustCompile(`/(testdata|dist|verdicts|apps|\.github)/|_templ\.go$|/migrations/.*\.sql$`)
	eachFile(t, func(path string) {
		place := strings.TrimPrefix(path, "../../../") + ": "
		comment := commentIn(path)
		switch {
		case left.MatchString(path):
		case filepath.Ext(path) == ".md":
			for _, sentence := range sentencesOf(must.Read(t, path)) {
				sentences = append(sentences, place+sentence)
			}
		case comment != nil:
			for line := range strings.Lines(must.Read(t, path)) {
				if found := comment.FindStringSubmatch(strings.TrimSpace(line)); found != nil {
					comments = append(comments, place+found[1])
				}
			}
		}
	})
	return comments, sentences
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
