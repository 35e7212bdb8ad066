package torture

import (
	"context"
	"fmt"
)

// number sets the pattern of invoice numbers and a next number, each from two senders, while two invoices are created.
func (t turn) number(ctx context.Context) {
	pattern := [...]string{"R{YY}/{NNN}", "S{NNNN}", "{YYYY}-{NNNN}"}[t.n%3]
	next := fmt.Sprintf([...]string{"R26/%03d", "S%04d", "2026-%04d"}[t.n%3], 500*(1+t.n))
	body := oneLine(map[string]any{"customer_id": t.customer(ctx, "").ID})
	body["issue_date"], body["due_date"] = "2026-11-21", "2026-12-21"
	create := func(key string) func() {
		return func() { t.twice(ctx, t.wish("invoice.create", key, invoicesPath, body)) }
	}
	atOnce(create("-a"), create("-b"), func() {
		t.twice(ctx, t.wish("number_pattern.set", "", "/api/v1/number-patterns", map[string]any{"pattern": pattern}))
	})
	atOnce(create("-c"), func() {
		t.twice(ctx, t.wish("next_number.set", "", "/api/v1/next-numbers", map[string]any{"number": next}, "invalid"))
	})
}
