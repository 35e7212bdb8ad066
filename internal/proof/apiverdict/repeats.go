package apiverdict

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
)

func (t *trial) repeat(ctx context.Context) (answer, error) {
	first, err := t.first(ctx)
	if err != nil {
		return answer{}, err
	}
	return t.same(ctx, first, t.create(ctx))
}

// same checks that the second answer equals the first, and that there is one record.
func (t *trial) same(ctx context.Context, first, again reply) (answer, error) {
	n, err := t.count(ctx)
	body := either(bytes.Equal(again.body, first.body), "the same body", "another body")
	replayed := ""
	for _, name := range slices.Sorted(maps.Keys(again.header)) {
		if replays.MatchString(name) && first.header[name] == nil {
			replayed = fmt.Sprintf(" with `%s: %s`", name, again.header.Get(name))
		}
	}
	return answer{again.equals(first) && n == 1, fmt.Sprintf("%s, then %s%s, %s, %s", first, again, replayed, body, records(n))}, err
}

// replays matches the names of headers that mark a replay.
var replays = regexp.MustCompile(`(?i)idempot|replay`)

func (t *trial) otherPayload(ctx context.Context) (answer, error) {
	first, err := t.first(ctx)
	if err != nil {
		return answer{}, err
	}
	other := t.another()
	other.key = t.key
	r := other.create(ctx)
	n, err := t.count(ctx)
	if err != nil {
		return answer{}, err
	}
	more, err := other.count(ctx)
	whose := either(r.equals(first), " with the answer to the first", "")
	evidence := fmt.Sprintf("%s%s, %s of the first and %d of the other", r, whose, records(n), more)
	return answer{r.refused() && n == 1 && more == 0, evidence}, err
}

func (t *trial) otherAccount(ctx context.Context) (answer, error) {
	first, err := t.first(ctx)
	if err != nil {
		return answer{}, err
	}
	id, err := t.id(first)
	if err != nil {
		return answer{}, err
	}
	r := t.send(ctx, t.Address, t.OtherAccount, t.Create.Body, t.quoted(t.key))
	if r.status == http.StatusUnauthorized {
		return answer{}, errors.New("other_account was answered 401")
	}
	if r.ok() {
		other, err := t.id(r)
		whose := either(other == id, "the id of the first", "another id")
		return answer{other != id, fmt.Sprintf("%s, then %s, %s", first, r, whose)}, err
	}
	const word = 8 // bytes; a shorter id may be in a body by chance
	leaks := len(id) >= word && bytes.Contains(r.body, []byte(id))
	return answer{r.refused() && !leaks, fmt.Sprintf("%s, then %s %s the id of the first", first, r, either(leaks, "with", "without"))}, nil
}

func (t *trial) refused(ctx context.Context) (answer, error) {
	invalid := t.send(ctx, t.Address, t.Headers, t.Create.Invalid, t.quoted(t.key))
	if !invalid.refused() {
		return answer{}, fmt.Errorf("create.invalid was answered %s, and must be refused", invalid.beginning())
	}
	r := t.create(ctx)
	n, err := t.count(ctx)
	return answer{r.ok() && n == 1, fmt.Sprintf("%s, then corrected %s, %s", invalid, r, records(n))}, err
}

func either(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}
