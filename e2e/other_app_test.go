package e2e

import (
	"fmt"
	"os"
	"testing"
)

// TestOtherApp tries all incidents on the app that the file in APP describes, and prints the verdicts. Without APP
// there is nothing to try.
func TestOtherApp(t *testing.T) {
	t.Parallel()
	file := os.Getenv("APP")
	if file == "" {
		return
	}
	app, err := readTarget(file)
	if err != nil {
		t.Fatal(err)
	}
	found := app.tryAll(t)
	for name, v := range found {
		if !v.good() {
			t.Errorf("%s: %s %s", name, v, v.saw)
		}
	}
	fmt.Fprintf(os.Stdout, "\n%s\n", table([]string{app.Name}, map[string]map[string]verdict{app.Name: found}))
}
