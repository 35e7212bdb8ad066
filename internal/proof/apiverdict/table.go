// Package apiverdict checks the handling of Idempotency-Key in a running API: see docs/verdicts/api.md. It uses only the answers,
// the number of records and the API's description.
package apiverdict

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Exit codes of a run, the same as in e2e/other-app.
const (
	AsWanted      = 0
	AgainstTheAPI = 1
	NoVerdict     = 2 // to at least one question: the check itself failed
)

// The verdicts.
const (
	does       = "does"
	doesNot    = "does not"
	notClaimed = "not claimed"
	none       = "no verdict"
)

// Run asks all questions, and returns a table in Markdown with the exit code. It returns an error, and asks nothing, if the API
// does not match its description.
func Run(ctx context.Context, d *Description, transport *http.Transport) (table string, code int, err error) {
	if err := d.fits(ctx, transport); err != nil {
		return "", NoVerdict, err
	}
	found := map[string]int{} // by verdict
	var text strings.Builder
	text.WriteString("| question | the API | evidence |\n|---|---|---|\n")
	for _, q := range questions() {
		verdict, evidence := d.judge(ctx, q, transport)
		found[verdict]++
		fmt.Fprintf(&text, "| %s | %s | %s |\n", q.text, verdict, strings.NewReplacer("|", `\|`, "\n", " ").Replace(evidence))
	}
	fmt.Fprintf(&text, "\n%d %s, %d %s, ", found[does], does, found[doesNot], doesNot)
	fmt.Fprintf(&text, "%d %s, %d %s\n", found[notClaimed], notClaimed, found[none], none)
	switch {
	case found[none] > 0:
		code = NoVerdict
	case found[doesNot] > 0:
		code = AgainstTheAPI
	}
	return text.String(), code, nil
}

func (d *Description) judge(ctx context.Context, q question, transport *http.Transport) (verdict, evidence string) {
	switch {
	case slices.Contains(d.NotClaimed, q.name):
		return notClaimed, "says the description"
	case d.lacks(q.needs):
		return notClaimed, "the description has no " + q.needs
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

func (d *Description) lacks(field string) bool {
	switch field {
	case "replica":
		return d.Replica == ""
	case "other_account":
		return len(d.OtherAccount) == 0
	case "create.invalid":
		return len(d.Create.Invalid) == 0
	case "restart":
		return len(d.Restart) == 0
	default:
		return false
	}
}

// fits creates one record, and checks that its id and the count can be found as described.
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

// counts checks that counting as described finds want records.
func (t *trial) counts(ctx context.Context, want int) error {
	n, err := t.count(ctx)
	if err == nil && n != want {
		err = fmt.Errorf("after %d creates count finds %s", want, records(n))
	}
	return err
}

// question is one check of an API.
type question struct {
	name  string                                        // for not_claimed
	text  string                                        // the correct behaviour
	needs string                                        // a field of the description that it needs and that may be empty; "" for none
	ask   func(*trial, context.Context) (answer, error) // returns an error if there is no verdict
}

// answer is the observed behaviour.
type answer struct {
	right    bool
	evidence string
}

func questions() []question {
	return []question{
		{"key-missing", "refuses a create without a key", "", (*trial).keyMissing},
		{"key-empty", "refuses an empty key", "", (*trial).keyEmpty},
		{"key-long", "refuses a key of 300 characters, or knows all of it", "", (*trial).keyLong},
		{"key-control", "refuses a key with a control character", "", (*trial).keyControl},
		{"repeat", "answers a repeat as the first time", "", (*trial).repeat},
		{"other-payload", "refuses another payload with the key", "", (*trial).otherPayload},
		{"at-once", "creates one record from ten requests at once", "", (*trial).atOnce},
		{"replicas", "does the same on two replicas", "replica", (*trial).replicas},
		{"other-account", "shows no other account the answer", "other_account", (*trial).otherAccount},
		{"refused", "takes the key again after a refusal", "create.invalid", (*trial).refused},
		{"answer-lost", "creates one record when the answer is lost and the request is repeated", "", (*trial).answerLost},
		{"restart", "answers a repeat after a restart as the first time", "restart", (*trial).restarted},
	}
}

func names() (names []string) {
	for _, q := range questions() {
		names = append(names, q.name)
	}
	return names
}
