package bench

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

// summary is what performance.md begins with. It names figures, and fails for one that there is not.
//
//go:embed summary.md.tmpl
var summary string

// The summary stands in performance.md between these lines.
const (
	summaryBegins = "<!-- These lines are written by make bench. -->\n"
	summaryEnds   = "<!-- End of what make bench writes. -->\n"
)

// Publish writes a report into a directory of documents: performance.json, the table, the charts, and the summary in performance.md,
// in place of the one before.
func (r Report) Publish(docs string) error {
	document := filepath.Join(docs, "performance.md")
	text, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	before, rest, begun := strings.Cut(string(text), summaryBegins)
	_, after, ended := strings.Cut(rest, summaryEnds)
	if !begun || !ended {
		return fmt.Errorf("%s has no place for the summary: it goes between %q and %q", document, summaryBegins, summaryEnds)
	}
	lines, err := r.summary()
	if err != nil {
		return err
	}
	files := map[string]string{
		document: before + summaryBegins + "\n" + lines + "\n" + summaryEnds + after,
		filepath.Join(docs, "performance-table.md"): "# All figures\n\n" +
			"Written by `make bench`; [performance.md](performance.md) says how they are measured.\n\n" + r.Table(),
		filepath.Join(docs, "performance-rates.svg"):  r.ratesChart(),
		filepath.Join(docs, "performance-growth.svg"): r.growthChart(),
	}
	if _, ok := r.figure(volumeFigure + "stored"); ok {
		files[filepath.Join(docs, "performance-volume.svg")] = r.volumeChart()
	}
	if r.Growth != nil {
		files[filepath.Join(docs, "performance-load.svg")] = r.loadChart()
	}
	for path, content := range files {
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil { //nolint:gosec // documentation
			return err
		}
	}
	return r.Write(filepath.Join(docs, "performance.json"))
}

func (r Report) summary() (string, error) {
	of := func(part func(Figure) string) func(string) (string, error) {
		return func(name string) (string, error) {
			f, ok := r.figure(name)
			if !ok {
				return "", fmt.Errorf("no figure %q", name)
			}
			return part(f), nil
		}
	}
	parsed, err := template.New("summary").Funcs(template.FuncMap{
		"ours": of(Figure.ours),
		"base": of(func(f Figure) string { return amount(f.Base.Median) + " " + f.Unit }),
		// A report of before a part was there has nothing of it to say.
		"measured": func(name string) bool { _, ok := r.figure(name); return ok },
		"ratio":    of(func(f Figure) string { return fmt.Sprintf("%.2f", f.Ratio.Median) }),
		"missed": func() (n int) {
			for _, f := range r.Figures {
				if f.Missed() {
					n++
				}
			}
			return n
		},
	}).Parse(summary)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = parsed.Execute(&b, r)
	return b.String(), err
}

func (r Report) figure(name string) (Figure, bool) {
	for _, f := range r.Figures {
		if f.Name == name {
			return f, true
		}
	}
	return Figure{}, false
}
