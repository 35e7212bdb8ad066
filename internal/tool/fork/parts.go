package fork

import (
	"path"
	"regexp"
	"slices"
)

// part is an optional part of the app.
type part struct {
	name  string
	rooms []string       // directories and files, in the notation of [path.Match]
	files *regexp.Regexp // matches further files, which can't be renamed, if there are any
	words *regexp.Regexp // matches documentation of the rest that is about the part, if there is any
	rules *regexp.Regexp // matches rules of the rest's stylesheet for the part's pages, if there are any
}

// parts returns all parts. Each depends only on later ones, so a part is removed with all parts before it.
func parts() []part {
	return []part{
		{name: "lab", rooms: []string{
			"cmd/demo", "internal/lab", "docs/lab.*", "docs/lab-*",
			"templates/lab*", "static/lab*", "e2e/lab_*.go",
		}},
		{name: "proof", rooms: []string{
			"internal/proof/apiverdict", "docs/verdicts/api.md",
			"internal/proof/bench", "internal/proof/layer", "internal/proof/scale", "internal/proof/torture",
			"docs/performance.md", "docs/scale.md", "docs/torture.md", "docs/deploy/cell-*.sh", "docs/deploy/etcd.yml",
			"docs/deploy/haproxy*.cfg", "docs/deploy/patroni.yml", "docs/deploy/pgbouncer.ini", "docs/deploy/compose-*.yml",
			"docs/deploy/Dockerfile", "docs/decisions/*-failover-without-loss.md",
			"docs/decisions/*-a-cell-is-an-installation.md",
		}},
		{name: "invoices", rooms: []string{
			"internal/invoice", "internal/*/invoice*", "internal/tool/check/invoice*",
			"templates/invoice*", "static/invoice*", "docs/invoice*", "e2e/invoice*",
			"docs/api-client*", "docs/webhooks.md", "docs/verdicts/onlyonce.*", "docs/decisions/*-numbers-without-gaps.md",
			"docs/decisions/*-the-database-keeps-the-books.md",
			"e2e/apps/this_app.json", "e2e/apps/onlyonce",
		}, files: regexp.MustCompile(
			`^migrations/\d+_.*(?:invoice|ledger|payment|refund|credit_note|schedule|webhook|standing|sums_of_any_size)`,
		), words: regexp.MustCompile(
			`(?i)(?:^|[^=\w])(?:invoice|credit.note|refund|payment|posting|receipt|repayment|schedule|write.off)(?:s|_\w+)?\b`),
			rules: regexp.MustCompile(
				`(?m)^ *\.(?:invoices|invoice-form|customer-choice|paper|stamp|strip)\b[^{}]*\{[^{}]*\}\n`,
			)},
	}
}

func names(all []part) (names []string) {
	for _, p := range all {
		names = append(names, p.name)
	}
	return names
}

// speaks reports whether a text in the documentation is about the part. Decisions, and pages about the code, may use it as an
// example.
func (p part) speaks(page, text string) bool {
	return p.words != nil && (path.Dir(page) == "docs" || page == "README.md") && p.words.MatchString(text)
}

// has reports whether a file or directory belongs to the part.
func (p part) has(file string) bool {
	return p.files != nil && p.files.MatchString(file) || slices.ContainsFunc(p.rooms, func(pattern string) bool {
		for at := file; at != path.Dir(at); at = path.Dir(at) {
			if ok, _ := path.Match(pattern, at); ok {
				return true
			}
		}
		return false
	})
}
