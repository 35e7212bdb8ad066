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
	"strings"
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

func (t *trial) keyMissing(ctx context.Context) (answer, error) {
	return t.refuses(ctx, t.send(ctx, t.Address, t.Headers, t.Create.Body))
}

func (t *trial) keyEmpty(ctx context.Context) (answer, error) {
	return t.refuses(ctx, t.send(ctx, t.Address, t.Headers, t.Create.Body, t.quoted("")))
}

// keyControl sends a tab, the only control character that HTTP allows in a header.
func (t *trial) keyControl(ctx context.Context) (answer, error) {
	key := strings.Replace(t.quoted(t.key), "-", "\t", 1)
	return t.refuses(ctx, t.send(ctx, t.Address, t.Headers, t.Create.Body, key))
}

// refuses checks that the request was refused and created no record.
func (t *trial) refuses(ctx context.Context, r reply) (answer, error) {
	n, err := t.count(ctx)
	return answer{r.refused() && n == 0, fmt.Sprintf("%s, %s", r, records(n))}, err
}

// keyLong sends two keys that differ in their last character, each twice. An API that truncates keys takes them for one.
func (t *trial) keyLong(ctx context.Context) (answer, error) {
	const length = 300
	key := strings.Repeat("k", length-len(t.key)-1) + t.key
	var statuses, counts []string
	refused, known := true, true
	for n, one := range []*trial{t, t.another()} {
		one.key = fmt.Sprintf("%s%d", key, n)
		first := one.create(ctx)
		again := one.create(ctx)
		rows, err := one.count(ctx)
		if err != nil {
			return answer{}, err
		}
		statuses = append(statuses, first.String(), again.String())
		counts = append(counts, records(rows))
		refused = refused && first.refused() && again.refused() && rows == 0
		known = known && first.ok() && again.equals(first) && rows == 1
	}
	evidence := fmt.Sprintf("two such keys, each twice: %s; %s", strings.Join(statuses, ", "), strings.Join(counts, " and "))
	return answer{refused || known, evidence}, nil
}
