package apiverdict

import (
	"context"
	"fmt"
	"strings"
)

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
