package e2e

import "testing"

// Archiving and restoring are transitions: again is a success that does nothing.

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
			s.pointAt("Archive")
			for click := range 5 {
				s.tap(1)
				s.waiting(min(click+1, len(circumstances.attempts)))
			}
			release()

			s.sees("Archived on ")
			s.hasNoAlert()
			s.hasChanged("customer.archive")
			s.attempts(circumstances.attempts...)
		})
	}
}

// Quick answers are no protection: the second click comes to the next page. What
// stands there must not undo the first.
func TestSlowDoubleClickIsNotUndone(t *testing.T) {
	t.Parallel()
	for name, width := range widths {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := withAda(t, width)
			for range 2 { // the first page has no message above it, and the second one has
				s.pointAt("Archive")
				s.tap(1)
				s.sees("Archived on ")
				s.tap(4)
				s.seesHeading("Ada Byron")
				s.pointAt("Restore")
				s.tap(1)
				s.seesNot("Archived on ")
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
	s.click("Archive")
	s.sees("Customer Ada Byron archived.")
	other.click("Archive")
	other.sees("Ada Byron was already archived.")
	other.hasNoAlert()
	s.hasChanged("customer.archive")
	s.attempts("changed", "unchanged")
}

func TestArchiveAndRestore(t *testing.T) {
	t.Parallel()
	for name, javaScript := range withAndWithoutJavaScript {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := withAda(t, javaScript)
			s.click("Archive")
			s.sees("Customer Ada Byron archived.")
			s.open("/customers")
			s.seesNot("Ada Byron")
			s.follow("Archived")
			s.follow("Ada Byron")

			s.click("Restore")
			s.sees("Customer Ada Byron restored.")
			s.open("/customers")
			s.follow("Ada Byron")
			s.seesHeading("Ada Byron")
			s.hasChanged("customer.archive", "customer.restore")
			s.attempts("changed", "changed")
		})
	}
}
