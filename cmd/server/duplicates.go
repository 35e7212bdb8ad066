package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/customer/duplicate"
	"onlyonce/internal/people/account"
	"onlyonce/internal/record"
)

type duplicates struct {
	ofTenant
}

// maxGroups is how many groups are listed: whoever has dealt with those gets the next ones.
const maxGroups = 1000

// Run lists groups of customers who look alike: the same as the page Duplicates.
func (c duplicates) Run(ctx context.Context, t *terminal) error {
	return c.with(ctx, t, func(ctx context.Context, pool *pgxpool.Pool, tenant account.Tenant) error {
		groups, lines := []duplicate.Group{}, []string{}
		page := record.Page{Limit: 100}
		for more := true; more && len(groups) < maxGroups; more = page.From != (record.Key{}) {
			list, err := duplicate.List(ctx, pool, tenant.ID, page)
			if err != nil {
				return err
			}
			for _, g := range list.Rows {
				groups = append(groups, g)
				lines = append(lines, fmt.Sprintf("%d customers with the same %s", g.Count, strings.Join(g.Why, " and ")))
				for _, c := range g.Customers {
					lines = append(lines, fmt.Sprintf("  %s  %s <%s>", c.ID, c.Name, c.Email))
				}
			}
			page.From = list.After
		}
		if len(groups) >= maxGroups {
			t.say("there may be more, behind these")
		}
		return t.printAll(groups, lines)
	})
}
