package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Report is the outcome of a run.
type Report struct {
	Commit  string `json:"commit"`  // with "+" if the tree had changes
	Machine string `json:"machine"` // processor, system and Go
	// PostgreSQL is the server_version that was measured, with the packager's.
	PostgreSQL string `json:"postgresql"`

	Began   time.Time `json:"began"` // UTC
	Took    string    `json:"took"`
	Setting string    `json:"setting"` // rounds and sizes
	Figures []Figure  `json:"figures"`
	Growth  []Point   `json:"growth,omitempty"`
}

func newReport(ctx context.Context, b *bench, began time.Time) (Report, error) {
	version, err := value[string](ctx, b.cluster.admin(), `SHOW server_version`)
	if err != nil {
		return Report{}, err
	}
	return Report{
		Commit: commit(ctx),
		Machine: fmt.Sprintf("%s, %d processors, %s, %s",
			processor(), runtime.NumCPU(), runtime.GOOS, runtime.Version()),
		PostgreSQL: version,
		Began:      began.UTC().Truncate(time.Second),
		Took:       time.Since(began).Round(time.Second).String(),
		Setting:    fmt.Sprintf("%d rounds of %s", b.Rounds, b.Length),
		Figures:    b.figures,
		Growth:     b.points,
	}, nil
}

// With returns the report with the figures of a later run of some parts, each in the place of the one with its name, or behind all,
// and with its growth if it has measured that. They say at which commit they were measured.
func (r Report) With(later Report) Report {
	r.Figures = slices.Clone(r.Figures)
	for _, f := range later.Figures {
		f.Commit = later.Commit
		at := slices.IndexFunc(r.Figures, func(old Figure) bool { return old.Name == f.Name })
		if at < 0 {
			at, r.Figures = len(r.Figures), append(r.Figures, f)
		}
		r.Figures[at] = f
	}
	if later.Growth != nil {
		r.Growth = slices.Clone(later.Growth)
		for i := range r.Growth {
			r.Growth[i].Commit = later.Commit
		}
	}
	return r
}

func (c *cluster) admin() database { return database{c.socketDir, "postgres", "postgres"} }

// commit names the tree that was measured. Without git there is no name.
func commit(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty=+", "--abbrev=10").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

// processor is the model's name, where the system tells it in a file.
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

// ReadReport returns an earlier report; ok is false if there is none.
func ReadReport(path string) (r Report, ok bool, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, false, nil
	}
	if err != nil {
		return r, false, err
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return r, false, fmt.Errorf("%s: %w", path, err)
	}
	return r, true, nil
}

// Write keeps the report for [ReadReport].
func (r Report) Write(path string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644) //nolint:gosec // part of the documentation
}
