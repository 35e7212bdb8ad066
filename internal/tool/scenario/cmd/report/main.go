// Command report reads the go test -json output of the browser scenarios, lists the records that they left behind, and fails
// unless the run has passed; see package scenario. Run it as make e2e or make e2e-report do, in the repository.
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
	code, err := run(os.Args[1:], os.Stdin, os.Stdout, os.Getenv)
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
	}
	os.Exit(code)
}

func run(args []string, stdin io.Reader, stdout io.Writer, getenv func(string) string) (code int, err error) {
	flags := flag.NewFlagSet("report", flag.ContinueOnError)
	directory := flags.String("write", "", "where to write index.html; stories/ in it has what the tests kept")
	if err := flags.Parse(args); err != nil {
		return scenario.NoVerdict, fmt.Errorf("read the flags: %w", err)
	}
	var before *scenario.Kept
	if name := getenv("BASELINE"); name != "" {
		if before, err = scenario.ReadKept(name); err != nil {
			return scenario.NoVerdict, err
		}
	}
	results, err := scenario.Collect(stdin, stdout, before)
	if err != nil {
		return scenario.NoVerdict, err
	}
	app := cmp.Or(getenv("APP"), getenv("DRAFT"))
	where := cmp.Or(getenv("BASE_URL"), app)
	if *directory != "" {
		if err := write(*directory, results, where); err != nil {
			return scenario.NoVerdict, err
		}
		fmt.Fprintln(stdout, filepath.Join(*directory, "index.html"))
	}
	for _, left := range results.Left() {
		fmt.Fprintln(stdout, "left behind:", left)
	}
	if app != "" {
		fmt.Fprint(stdout, "\n", results.Verdicts())
		return results.Code(), results.Err(true)
	}
	if err := results.Err(where != ""); err != nil {
		return 1, err
	}
	return 0, nil
}

func write(directory string, results *scenario.Results, where string) error {
	source, err := scenario.Read("e2e")
	if err != nil {
		return err
	}
	if err := results.AddStories(filepath.Join(directory, "stories")); err != nil {
		return err
	}
	run := scenario.Run{Where: where, When: time.Now()}
	page := func(w io.Writer) error { return scenario.Page(w, source.Chapters(results), results, run) }
	if err := create(filepath.Join(directory, "index.html"), page); err != nil || !results.HaveVerdicts() {
		return err // without another app, gotestsum writes JUnit's file
	}
	badge := func(w io.Writer) error { return scenario.Badge(w, results) }
	if err := create(filepath.Join(directory, "badge.svg"), badge); err != nil {
		return err
	}
	return create(filepath.Join(directory, "junit.xml"), results.JUnit)
}

func create(name string, write func(io.Writer) error) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}
