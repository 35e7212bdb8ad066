package invoicepages_test

import (
	"testing"

	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/site/sitecases"
	"onlyonce/internal/site/sitetest"
)

// TestOnlyWhatIsIssued: neither a draft nor a void invoice can be paid, credited, written off or sent.
func TestOnlyWhatIsIssued(t *testing.T) {
	t.Parallel()
	var parts []sitetest.Part
	for _, c := range []struct {
		of   func() sitetest.Resource
		said string
	}{
		{invoicecases.Payments, "Only an issued invoice can be paid. Nothing was recorded."},
		{invoicecases.CreditNotes, "Only an issued invoice can be credited. Nothing was recorded."},
		{invoicecases.WriteOffs, "Only an issued invoice can be written off. Nothing was recorded."},
		{invoicecases.Mails, "Only an issued invoice can be sent. Nothing was sent."},
	} {
		for name, ready := range map[string][]string{"draft": nil, "void draft": {"void"}, "void": {"issue", "void"}} {
			for _, f := range sitetest.Formats() {
				parts = append(parts, sitetest.Part{Of: c.of(), Name: name + "/" + f.Name(), Run: func(b *sitetest.Bundle) {
					of := c.of()
					of.Parent.Ready = ready
					x := b.Case(of, f)
					refused := x.Ask(x.Command)
					x.Format.Refused(x, refused, "not-issued", x.Command)
					if x.IsHTML() {
						x.Page(refused).Says(c.said).LeadsTo(x.Resource.Parent.PageOf(x.ID))
					}
					x.WantRows(sitetest.Rows{})
					x.WantOutcomes("conflict")
				}})
			}
		}
	}
	sitetest.Walk(t, sitecases.Resources(), parts)
}

// TestWhatCountsStays: an invoice that was paid, credited or written off can't be voided, and a payment that was refunded can't be removed.
// The page links back.
func TestWhatCountsStays(t *testing.T) {
	t.Parallel()
	var parts []sitetest.Part
	for _, c := range []struct {
		of              func() sitetest.Resource
		operation, slug string
		says            []string
	}{
		{invoicecases.Payments, "invoice.void", "has-payments", []string{"You can't void this invoice.", "It has payments."}},
		{invoicecases.CreditNotes, "invoice.void", "has-credit-notes", []string{"You can't void this invoice.", "It has credit notes."}},
		{invoicecases.WriteOffs, "invoice.void", "has-write-offs", []string{"You can't void this invoice.", "Take them back first."}},
		{invoicecases.Refunds, "payment.remove", "has-refunds", []string{"You can't remove this payment.", "Refund the rest instead."}},
	} {
		for _, f := range sitetest.Formats() {
			parts = append(parts, sitetest.Part{Of: c.of(), Name: f.Name(), Run: func(b *sitetest.Bundle) {
				x := b.Case(c.of(), f)
				x.Format.Done(x, x.Ask(x.Command))
				before := x.Contents()
				y := named(x.Bundle, c.operation)
				y.Owner, y.ID, y.Format, y.Caller = x.Acme, x.ID, x.Format, x.Caller
				refused := y.Ask(y.Command)
				y.Format.Refused(&y, refused, c.slug, nil)
				if x.IsHTML() {
					x.Page(refused).Says(c.says...).LeadsTo(x.Resource.Parent.RecordAt(x.ID))
				}
				sitetest.WantUnchanged(x.Bundle, "what was refused", before, x.Contents())
			}})
		}
	}
	sitetest.Walk(t, sitecases.Resources(), parts)
}
