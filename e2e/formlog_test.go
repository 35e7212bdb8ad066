package e2e

import (
	"slices"
	"strings"
	"sync"
)

// formLog is what a form does while it waits for an answer. The browser lets
// nobody look into a page then, but the page can still talk: to its console.
type formLog struct {
	mu    sync.Mutex
	lines []string
}

// tellFormLog makes the form of the page tell of each submit, whether it was
// sent or kept back, and of every change to what people see and hear.
const tellFormLog = `() => {
	const form = document.querySelector("main form[data-submit-guard]");
	const tell = (text) => console.debug("form: " + text);
	window.addEventListener("submit", (event) => tell(event.defaultPrevented ? "kept back" : "sent"));
	new MutationObserver(() => {
		const button = form.querySelector("[data-submit-primary]");
		tell("button: " + button.textContent + (button.ariaDisabled === "true" ? " (disabled)" : ""));
		for (const status of document.querySelectorAll("[role=status]")) tell("status: " + status.textContent.trim());
	}).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
}`

// took takes a line of the console that is meant for it.
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

// listenToForm has to come before the submit that is of interest.
func (s *session) listenToForm() {
	s.t.Helper()
	_, err := s.page.Evaluate(tellFormLog)
	s.check(err, "listen to the form")
}

// formSaid holds that the form did or said all this, by now or in a moment.
func (s *session) formSaid(texts ...string) {
	s.t.Helper()
	for _, text := range texts {
		s.until("the form says "+text, func() bool { return s.form.has(text) })
	}
}
