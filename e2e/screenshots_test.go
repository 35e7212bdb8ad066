package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// TestScreenshots takes a picture of every page when it is asked to, for people
// who change how they look:
//
//	SCREENSHOTS=/tmp/pictures go test ./e2e -run TestScreenshots
func TestScreenshots(t *testing.T) {
	t.Parallel()
	directory := os.Getenv("SCREENSHOTS")
	if directory == "" {
		t.Skip("SCREENSHOTS is not set to a directory")
	}
	for name, circumstances := range map[string][]option{
		"wide-light": {}, "narrow-light": {onPhone},
		"wide-dark": {inTheDark}, "narrow-dark": {inTheDark, onPhone},
		"wide-forced": {inForcedColors}, "narrow-forced": {inForcedColors, onPhone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, circumstances...)
			taken := 0
			picture := func(s *session, where string) {
				taken++
				number := strconv.Itoa(100 + taken)[1:]
				file := filepath.Join(directory, name, number+strings.NewReplacer("/", "-", " ", "-").Replace("-"+where)+".png")
				_, err := s.page.Screenshot(playwright.PageScreenshotOptions{Path: &file, FullPage: new(true)})
				s.check(err, "take a picture of "+where)
			}
			s.visitEveryPage(picture)
			s.visitExtremes(picture)
		})
	}
}
