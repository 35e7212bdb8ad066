// Command report reads what go test -json prints of the browser scenarios, and reports it; see package scenario. Run it as
// make e2e or make e2e-report do, in the repository.
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

	"onlyonce/internal/scenario"
)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout, os.Getenv); err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		os.Exit(1)
	}
}

func run(args []string, stdin io.Reader, stdout io.Writer, getenv func(string) string) error {
	flags := flag.NewFlagSet("report", flag.ContinueOnError)
	directory := flags.String("write", "", "where to write index.html and junit.xml; stories/ in it has what the tests kept")
	if err := flags.Parse(args); err != nil {
		return fmt.Errorf("read the flags: %w", err)
	}
	source, err := scenario.Read("e2e")
	if err != nil {
		return err
	}
	results, err := scenario.Collect(stdin, func(one scenario.Result) { fmt.Fprint(stdout, scenario.Line(one)) })
	if err != nil {
		return err
	}
	chapters := source.Chapters(results)
	where := cmp.Or(getenv("BASE_URL"), getenv("APP"))
	if *directory != "" {
		if err := results.AddStories(filepath.Join(*directory, "stories")); err != nil {
			return err
		}
		chapters = source.Chapters(results)
		if err := write(*directory, chapters, results, where); err != nil {
			return err
		}
	}
	fmt.Fprint(stdout, scenario.Table(chapters, results))
	if *directory != "" {
		fmt.Fprintf(stdout, "%s\n%s\n", filepath.Join(*directory, "index.html"), filepath.Join(*directory, "junit.xml"))
	}
	mayLeaveOut := where != "" || cmp.Or(getenv("BROWSER"), "chromium") != "chromium"
	if err := results.Err(mayLeaveOut); err != nil {
		return fmt.Errorf("%w\n%s", err, results.Output)
	}
	return nil
}

func write(directory string, chapters []scenario.Chapter, results *scenario.Results, where string) error {
	for name, content := range map[string]func(io.Writer) error{
		"junit.xml": func(w io.Writer) error { return scenario.JUnit(w, chapters) },
		"index.html": func(w io.Writer) error {
			return scenario.Page(w, chapters, results, scenario.Run{Where: where, When: time.Now()})
		},
	} {
		file, err := os.Create(filepath.Join(directory, name))
		if err != nil {
			return err
		}
		if err := errors.Join(content(file), file.Close()); err != nil {
			return err
		}
	}
	return nil
}
