package e2e

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"
)

// by is the actor in a line of a story.
type by string

const (
	byPerson  by = "person"
	byBrowser by = "browser"
	byNetwork by = "network" // an action of the wire on the form
	byServer  by = "server"
	byRecords by = "records" // the records found
	byPicture by = "picture"
)

// story is the course of a test, for the report, and for finding the cause of a failure.
type story struct {
	mu      sync.Mutex
	began   time.Time
	about   string // its source, if the comment above the test has none
	aloud   bool   // print the story at the end, with the way each field was found
	lock    bool   // see incident
	picture []byte // of the decisive moment
	events  []storyLine
}

type storyLine struct {
	At   int    `json:"at"` // milliseconds since the beginning
	By   by     `json:"by"`
	Text string `json:"text"`
}

func newStory() *story { return &story{began: time.Now()} }

func (s *session) tellf(who by, format string, args ...any) {
	if s.story == nil {
		return // this session has no scenario
	}
	text := fmt.Sprintf(format, args...)
	if who == byPerson && s.who != "" {
		text = s.who + ": " + text
	}
	s.story.mu.Lock()
	defer s.story.mu.Unlock()
	s.story.events = append(s.story.events, storyLine{int(time.Since(s.story.began).Milliseconds()), who, text})
}

// String returns a line for each event.
func (s *story) String() string {
	if s == nil {
		return " nothing"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var text strings.Builder
	for _, e := range s.events {
		fmt.Fprintf(&text, "\n%6d ms  %-8s %s", e.At, e.By, e.Text)
	}
	return text.String()
}

// tellAloud prints the story of a form, with a picture of its end.
func (s *session) tellAloud(form string) {
	for line := range strings.Lines(s.story.String()) {
		s.t.Attr("says", strings.TrimSpace(line))
	}
	picture := filepath.Join(cmp.Or(os.Getenv("E2E_OUTPUT"), s.t.TempDir()), strings.TrimSuffix("description-"+form, "-")+".png")
	if _, err := s.page.Screenshot(playwright.PageScreenshotOptions{Path: &picture}); err == nil {
		s.t.Attr("says", "picture: "+picture)
	}
}

// watchRequests adds the requested pages, the sent forms and their answers to the story.
func (s *session) watchRequests() {
	tells := func(r playwright.Request) bool { return r.IsNavigationRequest() || r.Method() != http.MethodGet }
	s.browser.OnRequest(func(r playwright.Request) {
		if tells(r) {
			s.tellf(byBrowser, "%s %s", r.Method(), s.short(r.URL()))
		}
	})
	s.browser.OnResponse(func(r playwright.Response) {
		if tells(r.Request()) {
			s.tellf(byServer, "%d %s %s", r.Status(), http.StatusText(r.Status()), s.short(r.Headers()["location"]))
		}
	})
	s.browser.OnRequestFailed(func(r playwright.Request) {
		if tells(r) {
			s.tellf(byBrowser, "no answer to %s %s: %v", r.Method(), s.short(r.URL()), r.Failure())
		}
	})
}

var longID = regexp.MustCompile(`([0-9a-f]{8})-[0-9a-f-]{27}`)

// short returns an address without the app's own, and with abbreviated ids.
func (s *session) short(address string) string {
	return longID.ReplaceAllString(strings.TrimPrefix(strings.TrimPrefix(address, s.origin), s.site), "$1…")
}

// moment saves a picture of the page at the decisive moment, and replaces an earlier one.
func (s *session) moment() {
	s.t.Helper()
	if os.Getenv("E2E_REPORT") != "" && s.story != nil {
		s.keepPicture("the decisive moment", nil)
	}
}

// show saves a picture of records in a list, each in a frame, and replaces an earlier one.
func (s *session) show(all playwright.Locator) {
	s.t.Helper()
	if os.Getenv("E2E_REPORT") == "" || s.story == nil {
		return
	}
	var records *playwright.Rect
	for _, width := range []int{420, 800} { // small, for the report, although some lists omit records at the width of a phone
		s.check(s.page.SetViewportSize(width, 900), "make the picture small")
		found, err := all.EvaluateAll(script("frame"), s.mark)
		s.check(err, "frame the records")
		text, err := json.Marshal(found)
		s.check(err, "frame the records")
		s.check(json.Unmarshal(text, &records), "frame the records")
		if records != nil {
			break
		}
	}
	s.keepPicture("the list afterwards", records)
}

// keepPicture saves a picture of the page, or of a part.
func (s *session) keepPicture(of string, clip *playwright.Rect) {
	s.t.Helper()
	picture, err := s.page.Screenshot(playwright.PageScreenshotOptions{
		Type: playwright.ScreenshotTypeJpeg, Quality: new(55), Timeout: new(5_000.0), Clip: clip,
	})
	if err != nil {
		s.t.Logf("no picture: %v", err)
		return
	}
	s.tellf(byPicture, "%s", of)
	s.story.mu.Lock()
	defer s.story.mu.Unlock()
	s.story.picture = picture
}

// keepEnd saves a picture of the page at the end, unless there is one already.
func (s *session) keepEnd() {
	s.t.Helper()
	if os.Getenv("E2E_REPORT") != "" && s.story != nil && s.story.picture == nil {
		s.keepPicture("the page at the end", nil)
	}
}

// keepStory writes the story to the directory E2E_REPORT when the test ends, with a picture of the end unless there is one already.
func (s *session) keepStory() {
	s.t.Helper()
	directory := os.Getenv("E2E_REPORT")
	if directory == "" || s.story == nil {
		return
	}
	s.t.Cleanup(func() {
		if s.t.Failed() {
			s.story.picture = nil
		}
		s.keepEnd()
		s.story.mu.Lock()
		defer s.story.mu.Unlock()
		text, err := json.Marshal(map[string]any{
			"test": nameOf(s.t), "about": s.story.about, "lock": s.story.lock, "picture": s.story.picture,
			"events": slices.Clone(s.story.events),
		})
		s.check(err, "write the story")
		file := filepath.Join(directory, strings.NewReplacer("/", "-", " ", "-").Replace(nameOf(s.t))+".json")
		s.check(os.WriteFile(file, text, 0o600), "keep the story")
	})
}
