package scenario

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Story is the record of a scenario: its events, and a picture.
type Story struct {
	Test    string  `json:"test"`    // with its browser unless that is Chromium
	About   string  `json:"about"`   // the source of the incident, if the comment above the test has none
	Lock    bool    `json:"lock"`    // whether a form that locks itself prevents it, which TestIncidentsConvict in e2e checks
	Picture []byte  `json:"picture"` // JPEG
	Events  []Event `json:"events"`
}

// Event is a line of a story.
type Event struct {
	At   int    `json:"at"` // milliseconds since it began
	By   string `json:"by"` // person, browser, network, server, records or picture
	Text string `json:"text"`
}

// Shows returns the caption of the picture.
func (s Story) Shows() (of string) {
	for _, e := range s.Events {
		if e.By == "picture" {
			of = e.Text
		}
	}
	return of
}

// String returns a line for each event.
func (s Story) String() string {
	var text strings.Builder
	for _, e := range s.Events {
		fmt.Fprintf(&text, "%s s %s: %s\n", e.When(), e.By, e.Text)
	}
	return text.String()
}

// When returns the time of an event in seconds.
func (e Event) When() string {
	return fmt.Sprintf("%.2f", (time.Duration(e.At) * time.Millisecond).Seconds())
}

// AddStories adds the stories that are kept in a directory.
func (r *Results) AddStories(directory string) error {
	files, err := filepath.Glob(filepath.Join(directory, "*.json"))
	if err != nil {
		return fmt.Errorf("find the stories: %w", err)
	}
	stories := map[string]Story{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var story Story
		if err := json.Unmarshal(text, &story); err != nil {
			return fmt.Errorf("read %s: %w", file, err)
		}
		stories[story.Test] = story
	}
	for i := range r.All {
		r.All[i].Story = stories[r.All[i].Test+r.All[i].in()]
	}
	return nil
}
