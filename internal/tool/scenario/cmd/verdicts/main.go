// Command verdicts writes docs/verdicts.md, its chart, and a page for each app that e2e/verdicts has tried. Run it in the repository.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"onlyonce/internal/tool/scenario"
)

func main() {
	if err := write(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "verdicts:", err)
		os.Exit(2)
	}
}

// write writes the page of each named app, from its run in e2e/report, and compares all apps with a page.
func write(apps []string) error {
	repo, err := os.OpenRoot(".")
	if err != nil {
		return fmt.Errorf("open the repository: %w", err)
	}
	defer repo.Close()
	for _, app := range apps {
		if err := keep(repo, app); err != nil {
			return err
		}
	}
	pages, err := filepath.Glob("docs/verdicts/*.md")
	if err != nil {
		return fmt.Errorf("look for pages: %w", err)
	}
	var rows, links []scenario.Tally
	for _, name := range pages {
		app := strings.TrimSuffix(filepath.Base(name), ".md")
		if _, err := repo.Stat(filepath.Join("e2e/apps", app)); err != nil {
			continue // the page is about something else
		}
		page, err := repo.ReadFile(name)
		if err != nil {
			return fmt.Errorf("read a page: %w", err)
		}
		kept := scenario.ReadTable(string(page))
		title, _, err := about(repo, app)
		if err != nil {
			return err
		}
		all, _ := kept.Tally(title)
		rows = append(rows, all)
		all.Name = "[" + title + "](verdicts/" + app + ".md)"
		links = append(links, all)
	}
	chart, err := repo.Create("docs/verdicts/chart.svg")
	if err != nil {
		return fmt.Errorf("write the chart: %w", err)
	}
	if err := scenario.Chart(chart, rows); err != nil {
		return err
	}
	if err := chart.Close(); err != nil {
		return fmt.Errorf("write the chart: %w", err)
	}
	return fill(repo, "docs/verdicts.md", scenario.Glance("app", links))
}

// keep writes the page of an app from its run in the report, and prints how the verdicts differ from those of the page before.
func keep(repo *os.Root, app string) error {
	directory := filepath.Join("e2e/report", app)
	results, err := scenario.ReadKept(filepath.Join(directory, "junit.xml"))
	if err != nil {
		return err
	}
	version, err := repo.ReadFile(filepath.Join(directory, "version"))
	if err != nil {
		return fmt.Errorf("read the version: %w", err)
	}
	pattern, err := repo.ReadFile(filepath.Join(directory, "run"))
	if err != nil {
		return fmt.Errorf("read which incidents were tried: %w", err)
	}
	command := "make verdicts APPS=" + app
	if len(pattern) > 0 {
		command += " RUN='" + string(pattern) + "'"
	}
	title, words, err := about(repo, app)
	if err != nil {
		return err
	}
	name := filepath.Join("docs/verdicts", app+".md")
	if earlier, err := repo.ReadFile(name); err == nil {
		for _, line := range results.Differences(scenario.ReadTable(string(earlier))) {
			fmt.Fprintf(os.Stdout, "%s: %s\n", app, line)
		}
	}
	page := fmt.Sprintf("# %s\n\nVersion %s, tried on %s in %s. To try it again: `%s`.\n\n%s\n\n%s", title,
		strings.TrimSpace(string(version)), time.Now().UTC().Format("2 January 2006"),
		time.Duration(results.Seconds*float64(time.Second)).Round(time.Second), command, words,
		results.Table())
	if err := repo.WriteFile(name, []byte(page), 0o644); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

// about returns the title of an app, and the description after it.
func about(repo *os.Root, app string) (title, words string, err error) {
	text, err := repo.ReadFile(filepath.Join("e2e/apps", app, "about.md"))
	if err != nil {
		return "", "", fmt.Errorf("read about the app: %w", err)
	}
	title, words, _ = strings.Cut(strings.TrimPrefix(string(text), "# "), "\n")
	return title, strings.TrimSpace(words), nil
}

// fill puts text between the marks of a page.
func fill(repo *os.Root, name, text string) error {
	const begin, end = "<!-- begin verdicts -->\n", "<!-- end verdicts -->"
	page, err := repo.ReadFile(name)
	if err != nil {
		return fmt.Errorf("read the page: %w", err)
	}
	before, rest, found := strings.Cut(string(page), begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		return fmt.Errorf("%s has no marks around its table", name)
	}
	if err := repo.WriteFile(name, []byte(before+begin+text+end+after), 0o644); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}
