package e2e

import (
	"slices"
	"strings"
	"sync"
)

// formLog records the behaviour of a form while it waits for an answer. Playwright cannot inspect a page then, but the page can
// still write to its console.
type formLog struct {
	mu    sync.Mutex
	lines []string
}

// took takes a line of the console, if it is from the form.
func (l *formLog) took(line string) bool {
	text, mine := strings.CutPrefix(line, "form: ")
	if mine {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.lines = append(l.lines, text)
	}
	return mine
}

func (l *formLog) has(text string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Contains(l.lines, text)
}

// listenToForm must be called before the submit of interest.
func (s *session) listenToForm() {
	s.t.Helper()
	_, err := s.page.Evaluate(script("tell_form_log"))
	s.check(err, "listen to the form")
}

// formSaid waits until the form has logged all these texts.
func (s *session) formSaid(texts ...string) {
	s.t.Helper()
	for _, text := range texts {
		s.until("the form says "+text, func() bool { return s.form.has(text) })
	}
}
