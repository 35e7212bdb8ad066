// Command report reads what go test -json prints of the browser scenarios, says what they left behind, and fails unless the run
// has passed; see package scenario. Run it as make e2e or make e2e-report do, in the repository.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"onlyonce/internal/tool/scenario"
)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout, os.Getenv); err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		os.Exit(1)
	}
}

func run(args []string, stdin io.Reader, stdout io.Writer, getenv func(string) string) error {
	flags := flag.NewFlagSet("report", flag.ContinueOnError)
	directory := flags.String("write", "", "where to write index.html; stories/ in it has what the tests kept")
	if err := flags.Parse(args); err != nil {
		return fmt.Errorf("read the flags: %w", err)
	}
	results, err := scenario.Collect(stdin)
	if err != nil {
		return err
	}
	where := cmp.Or(getenv("BASE_URL"), getenv("APP"))
	if *directory != "" {
		if err := write(*directory, results, where); err != nil {
			return err
		}
		fmt.Fprintln(stdout, filepath.Join(*directory, "index.html"))
	}
	for _, left := range results.Left() {
		fmt.Fprintln(stdout, "left behind:", left)
	}
	return results.Err(where != "" || cmp.Or(getenv("BROWSER"), "chromium") != "chromium")
}

func write(directory string, results *scenario.Results, where string) error {
	source, err := scenario.Read("e2e")
	if err != nil {
		return err
	}
	if err := results.AddStories(filepath.Join(directory, "stories")); err != nil {
		return err
	}
	file, err := os.Create(filepath.Join(directory, "index.html"))
	if err != nil {
		return err
	}
	page := scenario.Page(file, source.Chapters(results), results, scenario.Run{Where: where, When: time.Now()})
	return errors.Join(page, file.Close())
}
