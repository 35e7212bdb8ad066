package invoicepages

import (
	"maps"
	"net/url"
	"slices"

	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/invoiceform"
	"onlyonce/internal/value/date"
	"onlyonce/internal/web"
	"onlyonce/templates/invoiceviews"
)

// standing returns the view of sums of money, each with a link to its invoices, or to the payments of its month. of has query parameters
// for all links. paidIn is a day of the month of the payments that the sums include; zero if they include none.
func standing(sums []invoice.Sum, of url.Values, paidIn date.Date) []invoiceviews.Standing {
	sums = slices.Clone(sums)
	for i := range sums {
		if sums[i].Kind == "paid" {
			sums[i].Count = 0 // of invoices, which receipts and repayments aren't
		}
	}
	all := []invoiceviews.Standing{
		{Kind: "open", Label: "Open", Href: web.ListURL("/invoices", with(of, "sort", "due"), "status", "open")},
		{Kind: "overdue", Label: "Overdue", Href: web.ListURL("/invoices", with(of, "sort", "due"), "status", "overdue")},
	}
	if paidIn != (date.Date{}) {
		first, last := paidIn.Month()
		all = append(all, invoiceviews.Standing{
			Kind: "paid", Label: "Paid this month",
			Href: web.ListURL("/payments", with(of, "from", first.String()), "to", last.String()),
		})
	}
	if slices.ContainsFunc(sums, func(s invoice.Sum) bool { return s.Kind == "credit" }) {
		all = append(all, invoiceviews.Standing{Kind: "credit", Label: "Credit", Href: "/receipts?" + of.Encode()})
	}
	return invoiceform.FillIn(all, sums)
}

// filterSums returns the view of the sums of a filtered list, with links to the same list by total, and to its drafts and to its open
// invoices, if it has any besides others.
func filterSums(sums []invoice.Sum, query url.Values) []invoiceviews.Standing {
	all := []invoiceviews.Standing{{Kind: "total", Label: "Total", Href: web.ListURL("/invoices", query, "sort", "total")}}
	if query.Get("status") == "" && slices.ContainsFunc(sums, func(s invoice.Sum) bool { return s.Kind == "draft" }) {
		all[0].Label = "Total with drafts"
		all = append(all, invoiceviews.Standing{Kind: "draft", Label: "Drafts", Href: web.ListURL("/invoices", query, "status", "draft")})
	}
	if slices.ContainsFunc(sums, func(s invoice.Sum) bool { return s.Kind == "open" }) {
		href := web.ListURL("/invoices", query, "status", "open")
		if query.Get("status") != "" { // which may be narrower
			href = web.ListURL("/invoices", query, "sort", "due")
		}
		all = append(all, invoiceviews.Standing{Kind: "open", Label: "Open", Href: href})
	}
	return invoiceform.FillIn(all, sums)
}

// with returns a copy of parameters with an additional one.
func with(query url.Values, name, value string) url.Values {
	more := url.Values{name: {value}}
	maps.Copy(more, query)
	return more
}
