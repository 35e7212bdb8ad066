package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/customer/duplicate"
	"onlyonce/internal/people/account"
	"onlyonce/internal/record"
	"onlyonce/internal/room"
)

type duplicates struct {
	ofTenant
}

// maxGroups is the most listed groups. The next ones are listed once these are resolved.
const maxGroups = 1000

// Run lists groups of similar customers, like the page Duplicates, and then those of the rooms.
func (c duplicates) Run(ctx context.Context, t *terminal) error {
	return c.with(ctx, t, func(ctx context.Context, pool *pgxpool.Pool, tenant account.Tenant) error {
		groups, lines := []any{}, []string{}
		for _, r := range append([]room.Room{{Duplicates: similarCustomers}}, t.site.Rooms...) {
			if r.Duplicates == nil {
				continue
			}
			page, shown := record.Page{Limit: 100}, 0
			for more := true; more && shown < maxGroups; more = page.From != (record.Key{}) {
				found, err := r.Duplicates(ctx, pool, tenant.ID, page)
				if err != nil {
					return err
				}
				for _, g := range found.Rows {
					groups, lines = append(groups, g.JSON), append(lines, g.Lines...)
				}
				shown, page.From = shown+len(found.Rows), found.After
			}
			if shown >= maxGroups {
				t.say("there may be more, behind these")
			}
		}
		return t.printAll(groups, lines)
	})
}

func similarCustomers(
	ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, page record.Page,
) (list record.List[room.Group], err error) {
	found, err := duplicate.List(ctx, pool, tenant, page)
	list.After = found.After
	for _, g := range found.Rows {
		lines := []string{fmt.Sprintf("%d customers with the same %s", g.Count, strings.Join(g.Why, " and "))}
		for _, c := range g.Customers {
			lines = append(lines, strings.TrimSuffix(fmt.Sprintf("  %s  %s <%s>", c.ID, c.Name, c.Email), " <>"))
		}
		list.Rows = append(list.Rows, room.Group{JSON: g, Lines: lines})
	}
	return list, err
}
