package apiverdict

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
)

// Exit codes of a run, as those of e2e/other-app.
const (
	AsWanted      = 0
	AgainstTheAPI = 1
	NoVerdict     = 2 // to some question, or to all: the check itself failed
)

// The verdicts.
const (
	does       = "does"
	doesNot    = "does not"
	notClaimed = "not claimed"
	none       = "no verdict"
)

// Run asks all questions, writes a table in Markdown, and returns the exit code. The error is about what is not as described; then
// nothing was asked.
func Run(ctx context.Context, d *Description, transport *http.Transport, w io.Writer) (code int, err error) {
	if err := d.fits(ctx, transport); err != nil {
		return NoVerdict, err
	}
	found := map[string]int{} // by verdict
	table := &table{w: w}
	table.printf("| question | the API | evidence |\n|---|---|---|\n")
	for _, q := range questions() {
		verdict, evidence := d.judge(ctx, q, transport)
		found[verdict]++
		table.printf("| %s | %s | %s |\n", q.text, verdict, strings.NewReplacer("|", `\|`, "\n", " ").Replace(evidence))
	}
	table.printf("\n")
	for _, verdict := range []string{does, doesNot, notClaimed, none} {
		table.printf("%d %s\n", found[verdict], verdict)
	}
	switch {
	case found[none] > 0:
		code = NoVerdict
	case found[doesNot] > 0:
		code = AgainstTheAPI
	}
	return code, table.err
}

// table keeps the first error.
type table struct {
	w   io.Writer
	err error
}

func (t *table) printf(format string, args ...any) {
	if _, err := fmt.Fprintf(t.w, format, args...); err != nil && t.err == nil {
		t.err = fmt.Errorf("write the table: %w", err)
	}
}

func (d *Description) judge(ctx context.Context, q question, transport *http.Transport) (verdict, evidence string) {
	if slices.Contains(d.NotClaimed, q.name) {
		return notClaimed, "says the description"
	}
	if q.lacks != nil {
		if field := q.lacks(d); field != "" {
			return notClaimed, "the description has no " + field
		}
	}
	a, err := q.ask(d.trial(transport), ctx)
	switch {
	case err != nil:
		return none, err.Error()
	case a.right:
		return does, a.evidence
	default:
		return doesNot, a.evidence
	}
}

// fits creates one record, and finds its id and counts it as the description says.
func (d *Description) fits(ctx context.Context, transport *http.Transport) error {
	t := d.trial(transport)
	if err := t.counts(ctx, 0); err != nil {
		return err
	}
	first, err := t.first(ctx)
	if err != nil {
		return err
	}
	if _, err := t.id(first); err != nil {
		return err
	}
	return t.counts(ctx, 1)
}

// counts holds that the description says how to count.
func (t *trial) counts(ctx context.Context, want int) error {
	n, err := t.count(ctx)
	if err == nil && n != want {
		err = fmt.Errorf("after %d creates count finds %s", want, records(n))
	}
	return err
}
