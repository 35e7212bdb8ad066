package bench

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"onlyonce/internal/proof/must"
)

// TestPeersAreWhatThePageNames: each version that the page names is one that is installed.
func TestPeersAreWhatThePageNames(t *testing.T) {
	t.Parallel()
	var installed strings.Builder
	for _, name := range []string{"go.mod", "node/package.json"} {
		text := must.Read(t, filepath.Join("peers", name))
		installed.WriteString(text)
	}
	named := 0
	for _, p := range new(bench).peers() {
		for _, version := range regexp.MustCompile(`\d+\.\d+\.\d+`).FindAllString(p.what, -1) {
			named++
			if !strings.Contains(installed.String(), version) {
				t.Errorf("%s: version %s is not installed", p.name, version)
			}
		}
	}
	if named < 5 {
		t.Errorf("the page names %d versions", named)
	}
}

func TestPeersPage(t *testing.T) {
	t.Parallel()
	docs := t.TempDir()
	report := PeersReport{
		Peers:  []peerName{{"ours", "this"}, {"theirs", "that"}, {"none", "nothing"}},
		Races:  []race{{"replays", map[string][]float64{"ours": {100, 50}, "theirs": {50, 25}}}},
		Truths: []truth{{"twice", map[string]string{"ours": "1 row", "theirs": "2 rows", "none": "100 rows"}}},
	}
	must.OK(t, report.Publish(docs))
	page := must.Read(t, filepath.Join(docs, "peers.md"))
	for _, row := range []string{
		"\n| | ours | theirs | none |\n|---|---|---|---|\n",
		"\n| replays | 75.0 /s | 37.5 /s, 0.50 (0.50 to 0.50) | - |\n",
		"\n| twice | 1 row | 2 rows | 100 rows |\n",
	} {
		if !strings.Contains(page, row) {
			t.Errorf("no %q in\n%s", row, page)
		}
	}
	chart, err := os.ReadFile(filepath.Join(docs, "peers-rates.svg"))
	if err != nil || strings.Count(string(chart), "<rect") != 3 { // the ground, and two bars
		t.Errorf("%v in\n%s", err, chart)
	}
}

func TestWhatIsSaidOfACrowd(t *testing.T) {
	t.Parallel()
	if got := howMany([]int{1, 1}) + "; " + howMany([]int{1, 3, 2}); got != "1 row; 1 to 3 rows" {
		t.Error(got)
	}
	if got := shares(map[int]int{409: 1, 201: 2, 0: 1}); got != "none: 25 %, 201: 50 %, 409: 25 %" {
		t.Error(got)
	}
}
