package e2e

import "testing"

// An archived customer leaves the list, and returns when it is restored.

func TestArchiveAndRestore(t *testing.T) {
	t.Parallel()
	s := withAda(t, withoutJavaScript)
	s.click(buttonArchive)
	s.sees(archived(s.named("Ada Byron")))
	s.open("/customers?q=" + s.mark)
	s.seesNot(s.named("Ada Byron"))
	s.follow(linkArchived)
	s.follow(s.named("Ada Byron"))

	s.click(buttonRestore)
	s.sees(restored(s.named("Ada Byron")))
	s.open("/customers?q=" + s.mark)
	s.follow(s.named("Ada Byron"))
	s.seesHeading(s.named("Ada Byron"))
	s.hasChanged("customer.archive", "customer.restore")
	s.attempts("changed", "changed")
}
