package site_test

import "testing"

// TestOnlyWhatIsIssued: neither a draft nor a void invoice can be paid, credited or sent.
func TestOnlyWhatIsIssued(t *testing.T) {
	t.Parallel()
	var parts []part
	for _, c := range []struct {
		of   func() resource
		said string
	}{
		{payments, "Only an issued invoice can be paid. Nothing was recorded."},
		{creditNotes, "Only an issued invoice can be credited. Nothing was recorded."},
		{mails, "Only an issued invoice can be sent. Nothing was sent."},
	} {
		for name, ready := range map[string][]string{"draft": nil, "void draft": {"void"}, "void": {"issue", "void"}} {
			for _, f := range formats() {
				parts = append(parts, part{c.of(), name + "/" + f.name(), func(b *bundle) {
					of := c.of()
					of.parent.ready = ready
					x := b.caseRun(of, f)
					refused := x.ask(x.command)
					x.format.refused(x, refused, "not-issued", x.command)
					if x.isHTML() {
						x.page(refused).says(c.said).leadsTo(x.resource.parent.pageOf(x.id))
					}
					x.wantRows(rows{})
					x.wantOutcomes("conflict")
				}})
			}
		}
	}
	walk(t, resources(), parts)
}

// TestWhatCountsStays: an invoice that was paid or credited can't be voided, and a payment that was refunded can't be removed.
// The page links back.
func TestWhatCountsStays(t *testing.T) {
	t.Parallel()
	var parts []part
	for _, c := range []struct {
		of              func() resource
		operation, slug string
		says            []string
	}{
		{payments, "invoice.void", "has-payments", []string{"You can't void this invoice.", "It has payments."}},
		{creditNotes, "invoice.void", "has-credit-notes", []string{"You can't void this invoice.", "It has credit notes."}},
		{refunds, "payment.remove", "has-refunds", []string{"You can't remove this payment.", "Refund the rest instead."}},
	} {
		for _, f := range formats() {
			parts = append(parts, part{c.of(), f.name(), func(b *bundle) {
				x := b.caseRun(c.of(), f)
				x.format.done(x, x.ask(x.command))
				before := x.contents()
				y := x.named(c.operation)
				y.owner, y.id, y.format, y.caller = x.acme, x.id, x.format, x.caller
				refused := y.ask(y.command)
				y.format.refused(&y, refused, c.slug, nil)
				if x.isHTML() {
					x.page(refused).says(c.says...).leadsTo(x.resource.parent.recordAt(x.id))
				}
				wantUnchanged(x.bundle, "what was refused", before, x.contents())
			}})
		}
	}
	walk(t, resources(), parts)
}
