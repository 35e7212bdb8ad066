package invoicepages

import (
	"maps"
	"net/url"
	"strconv"

	"onlyonce/internal/invoice"
	"onlyonce/internal/value/date"
	"onlyonce/internal/web"
	"onlyonce/templates/invoiceviews"
)

// standing shows sums of money, each as the way to what it sums up. of are parameters that all ways have; withPaid says
// that payments are summed up too.
func standing(sums []invoice.Sum, of url.Values, withPaid bool) []invoiceviews.Standing {
	all := []invoiceviews.Standing{
		{Kind: "open", Label: "Open", Href: web.ListURL("/invoices", with(of, "sort", "due"), "status", "open")},
		{Kind: "overdue", Label: "Overdue", Href: web.ListURL("/invoices", with(of, "sort", "due"), "status", "overdue")},
	}
	if withPaid {
		first, last := date.Today().Month()
		all = append(all, invoiceviews.Standing{
			Kind: "paid", Label: "Paid this month",
			Href: web.ListURL("/invoices", with(of, "paid_from", first.String()), "paid_to", last.String()),
		})
	}
	for i := range all {
		count := 0
		for _, sum := range sums {
			if sum.Kind != all[i].Kind {
				continue
			}
			amount := sum.Currency.Display(sum.Amount) + " " + sum.Currency.String()
			if sum.More {
				amount = "more than " + amount
			}
			all[i].Amounts = append(all[i].Amounts, amount)
			all[i].More = all[i].More || sum.More
			count += sum.Count
		}
		all[i].Count = grouped(count, all[i].More)
	}
	return all
}

// grouped is a number as people read it: "12", or "1,000+" for what was not counted to the end.
func grouped(n int, more bool) string {
	if more {
		return "1,000+"
	}
	text := strconv.Itoa(n)
	if len(text) > 3 {
		text = text[:len(text)-3] + "," + text[len(text)-3:]
	}
	return text
}

// with is a copy of parameters with one more.
func with(query url.Values, name, value string) url.Values {
	more := url.Values{name: {value}}
	maps.Copy(more, query)
	return more
}
