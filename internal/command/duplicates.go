package command

import (
	"context"
	"fmt"
	"strings"

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
		add := func(group any, shown ...string) { groups, lines = append(groups, group), append(lines, shown...) }
		err := eachGroup(t, func(page record.Page) (record.List[duplicate.Group], error) {
			return duplicate.List(ctx, pool, tenant.ID, page)
		}, func(g duplicate.Group) {
			shown := []string{fmt.Sprintf("%d customers with the same %s", g.Count, strings.Join(g.Why, " and "))}
			for _, c := range g.Customers {
				shown = append(shown, strings.TrimSuffix(fmt.Sprintf("  %s  %s <%s>", c.ID, c.Name, c.Email), " <>"))
			}
			add(g, shown...)
		})
		if err != nil {
			return err
		}
		for _, r := range t.site.Rooms {
			if r.Duplicates == nil {
				continue
			}
			err := eachGroup(t, func(page record.Page) (record.List[room.Group], error) {
				return r.Duplicates(ctx, pool, tenant.ID, page)
			}, func(g room.Group) { add(g.JSON, g.Lines...) })
			if err != nil {
				return err
			}
		}
		return t.printAll(groups, lines)
	})
}

// eachGroup calls show with the groups of a list, page by page.
func eachGroup[G any](t *terminal, list func(record.Page) (record.List[G], error), show func(G)) error {
	page, shown := record.Page{Limit: 100}, 0
	for more := true; more && shown < maxGroups; more = page.From != (record.Key{}) {
		found, err := list(page)
		if err != nil {
			return err
		}
		for _, g := range found.Rows {
			show(g)
		}
		shown, page.From = shown+len(found.Rows), found.After
	}
	if shown >= maxGroups {
		t.say("there may be more, behind these")
	}
	return nil
}
