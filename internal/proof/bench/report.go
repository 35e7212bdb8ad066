package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Report is the outcome of a run.
type Report struct {
	Head    string // a line about the commit, the machine and the run
	Figures []Figure
}

func (b *bench) report(ctx context.Context, began time.Time) (Report, error) {
	version, err := value[string](ctx, b.cluster.admin(), `SHOW server_version`)
	if err != nil {
		return Report{}, err
	}
	head := fmt.Sprintf("Commit %s, %s, %s, %d processors, %s, %s, PostgreSQL %s, %d rounds of %s in %s.", commit(ctx),
		began.UTC().Format("2006-01-02 15:04 UTC"), processor(), runtime.NumCPU(), runtime.GOOS, runtime.Version(), version,
		b.Rounds, b.Length, time.Since(began).Round(time.Second))
	return Report{head, b.figures}, nil
}

// commit returns the name of the measured commit, with a "+" if the tree has changes, or "unknown" without git.
func commit(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty=+", "--abbrev=10").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

// processor returns the name of the processor's model, if the system has it in a file.
func processor() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	for line := range strings.Lines(string(info)) {
		if name, model, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(model)
		}
	}
	return runtime.GOARCH
}

// Table returns the report as Markdown, with the ratios of the run before that was kept in dir.
func (r Report) Table(dir string) (string, error) {
	before, err := read(dir)
	return r.Head + "\n\n" + table(r.Figures, before), err
}

// Missed returns an error that names the figures that miss their mark.
func (r Report) Missed() error {
	var missed []error
	for _, f := range r.Figures {
		if f.Missed() {
			missed = append(missed, fmt.Errorf("%s misses its mark: %.2f", f.Name, f.Ratio.Median))
		}
	}
	return errors.Join(missed...)
}

// Keep writes the figures and the table into dir. Figures of earlier runs that this one has not measured stay in figures.json.
func (r Report) Keep(dir string) error {
	all, err := read(dir)
	if err != nil {
		return err
	}
	text, err := r.Table(dir)
	if err != nil {
		return err
	}
	for _, f := range r.Figures {
		all[f.Name] = f
	}
	figures, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "table.md"), []byte(text), 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "figures.json"), figures, 0o600)
}

// read returns the figures that were kept in dir, by their names.
func read(dir string) (map[string]Figure, error) {
	all := map[string]Figure{}
	text, err := os.ReadFile(filepath.Join(dir, "figures.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return nil, err
	}
	return all, json.Unmarshal(text, &all)
}
