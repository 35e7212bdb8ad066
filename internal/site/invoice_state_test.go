package site_test

import "testing"

// TestOnlyWhatIsIssued is paid, credited and sent: neither a draft nor a void invoice.
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
						x.page(refused).says(c.said).leadsTo(x.parent.pageOf(x.id))
					}
					x.wantRows(rows{})
					x.wantOutcomes("conflict")
				}})
			}
		}
	}
	walk(t, parts)
}

// TestWhatCountsIsNotVoided: what was paid or credited, and the page leads back to the invoice.
func TestWhatCountsIsNotVoided(t *testing.T) {
	t.Parallel()
	var parts []part
	for _, c := range []struct {
		of         func() resource
		slug, said string
	}{
		{payments, "has-payments", "It has payments."},
		{creditNotes, "has-credit-notes", "It has credit notes."},
	} {
		for _, f := range formats() {
			parts = append(parts, part{c.of(), f.name(), func(b *bundle) {
				x := b.caseRun(c.of(), f)
				x.format.done(x, x.ask(x.command))
				before := x.contents()
				y := *x
				y.target = target{subject: x.named("invoice.void"), owner: x.acme, id: x.id}
				refused := y.ask(y.command)
				y.format.refused(&y, refused, c.slug, nil)
				if x.isHTML() {
					x.page(refused).says("You can't void this invoice.", c.said).leadsTo(x.parent.pageOf(x.id))
				}
				wantUnchanged(x.bundle, "a refused void", before, x.contents())
			}})
		}
	}
	walk(t, parts)
}
