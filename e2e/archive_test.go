package e2e

import "testing"

// Archiving and restoring are transitions: a repeat succeeds and does nothing.

func TestFiveClicksOnArchive(t *testing.T) {
	t.Parallel()
	for name, circumstances := range map[string]struct {
		javaScript option
		attempts   []string
	}{
		"with JavaScript":    {withJavaScript, []string{"changed"}},
		"without JavaScript": {withoutJavaScript, []string{"changed", "replayed", "replayed", "replayed", "replayed"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := withAda(t, circumstances.javaScript)
			release := s.lock("customers")
			s.pointAt(buttonArchive)
			for click := range 5 {
				s.tap(1)
				s.waiting(min(click+1, len(circumstances.attempts)))
			}
			release()

			s.sees(saysArchived)
			s.hasNoAlert()
			s.hasChanged("customer.archive")
			s.attempts(circumstances.attempts...)
		})
	}
}

// The answers are fast, and the second click arrives on the next page. No element there may undo the first click.
func TestSlowDoubleClickIsNotUndone(t *testing.T) {
	t.Parallel()
	for name, width := range widths {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := withAda(t, width)
			for range 2 { // the page has no message the first time, and one the second time
				s.pointAt(buttonArchive)
				s.tap(1)
				s.sees(saysArchived)
				s.tap(4)
				s.seesHeading(s.named("Ada Byron"))
				s.pointAt(buttonRestore)
				s.tap(1)
				s.seesNot(saysArchived)
			}
			s.hasChanged("customer.archive", "customer.restore", "customer.archive", "customer.restore")
			s.attempts("changed", "changed", "changed", "changed")
		})
	}
}

func TestArchiveInTwoTabs(t *testing.T) {
	t.Parallel()
	s := withAda(t)
	other := s.tab(s.page.URL())
	s.click(buttonArchive)
	s.sees(archived(s.named("Ada Byron")))
	other.click(buttonArchive)
	other.sees(s.named("Ada Byron") + " was already archived.")
	other.hasNoAlert()
	s.hasChanged("customer.archive")
	s.attempts("changed", "unchanged")
}

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
