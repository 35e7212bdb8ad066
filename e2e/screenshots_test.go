package e2e

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/playwright-community/playwright-go"
)

// takePicture saves a screenshot of the page if SCREENSHOTS is set, for people who change the look of pages:
//
//	SCREENSHOTS=/tmp/pictures go test ./e2e -run 'TestAccessibility|TestExtreme|TestPaper|TestStillSaving'
func (s *session) takePicture(where string) {
	s.t.Helper()
	directory := os.Getenv("SCREENSHOTS")
	if directory == "" {
		return
	}
	name := strings.NewReplacer("/", "-", " ", "-").Replace(s.t.Name() + "/" + strings.TrimPrefix(where, s.origin))
	file := filepath.Join(directory, name+".png")
	_, err := s.page.Screenshot(playwright.PageScreenshotOptions{Path: &file, FullPage: new(true)})
	s.check(err, "take a picture of "+where)
}
