package app_test

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/oasdiff/yaml"

	"onlyonce/internal/mailer"
	"onlyonce/internal/must"
	"onlyonce/internal/people/attempt"
	"onlyonce/internal/postgres/pgtest"
)

// TestWhatIsWatchedIsThere: each metric and outcome in the dashboards and the alert rules is one of a running app.
func TestWhatIsWatchedIsThere(t *testing.T) {
	t.Parallel()
	b := on(t, pgtest.New(t))
	b.App = b.Start(keeping)
	b.create(key, ada)
	var outcomes []string
	for _, outcome := range attempt.Outcomes() {
		outcomes = append(outcomes, string(outcome))
	}
	for _, outcome := range mailer.Outcomes() {
		outcomes = append(outcomes, string(outcome))
	}
	must.Exec(t, b.DB.Admin(), `
		INSERT INTO river.river_job (kind, args, max_attempts, state, finalized_at)
		VALUES ('watched', '{}', 1, 'discarded', now())`)
	_, metrics := b.Get(b.Metrics)
	for where, expression := range watched(t) {
		names := regexp.MustCompile(`\b(onlyonce|pgxpool|go|process)_\w+`).FindAllString(expression, -1)
		if len(names) == 0 {
			t.Errorf("%s is about none of the app's metrics: %s", where, expression)
		}
		for _, name := range names {
			if name == "onlyonce_database_replication_lag_bytes" { // these databases have no standby
				continue
			}
			if !strings.Contains(metrics, "\n"+name+" ") && !strings.Contains(metrics, "\n"+name+"{") {
				t.Errorf("%s is about %s, which the app does not have", where, name)
			}
		}
		for _, chosen := range regexp.MustCompile(`outcome=~?"([^"]*)"`).FindAllStringSubmatch(expression, -1) {
			for outcome := range strings.SplitSeq(chosen[1], "|") {
				if !slices.Contains(outcomes, outcome) {
					t.Errorf("%s is about the outcome %s, which nothing has", where, outcome)
				}
			}
		}
	}
}

// watched returns the expressions of docs/deploy, by the names of their panels and rules.
func watched(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	boards, err := filepath.Glob("../../docs/deploy/grafana*.json")
	if err != nil || len(boards) == 0 {
		t.Fatalf("found %d dashboards: %v", len(boards), err)
	}
	for _, name := range boards {
		var board struct {
			Title  string `json:"title"`
			Panels []struct {
				Title   string `json:"title"`
				Targets []struct {
					Expr string `json:"expr"`
				} `json:"targets"`
			} `json:"panels"`
		}
		if err := json.Unmarshal([]byte(must.Read(t, name)), &board); err != nil || board.Title == "" {
			t.Fatalf("%s: %v", name, err)
		}
		for _, p := range board.Panels {
			for _, target := range p.Targets {
				found[name+", "+p.Title+", "+target.Expr] = target.Expr
			}
		}
	}
	rules, err := filepath.Glob("../../docs/deploy/alerts*.yaml")
	if err != nil || len(rules) == 0 {
		t.Fatalf("found %d files of rules: %v", len(rules), err)
	}
	for _, name := range rules {
		addRules(t, found, name)
	}
	if len(found) < 15 {
		t.Errorf("found only %d expressions", len(found))
	}
	return found
}

// addRules adds the expressions of a file with alert rules.
func addRules(t *testing.T, found map[string]string, name string) {
	t.Helper()
	var rules struct {
		Groups []struct {
			Rules []struct {
				Alert       string            `json:"alert"`
				Expr        string            `json:"expr"`
				Annotations map[string]string `json:"annotations"`
			} `json:"rules"`
		} `json:"groups"`
	}
	if _, err := yaml.Unmarshal([]byte(must.Read(t, name)), &rules, yaml.DecodeOpts{}); err != nil {
		t.Fatal(err)
	}
	for _, group := range rules.Groups {
		for _, rule := range group.Rules {
			if rule.Alert == "" || found[rule.Alert] != "" || rule.Annotations["summary"] == "" || rule.Annotations["description"] == "" {
				t.Errorf("a rule without words, or a second one: %+v", rule)
			}
			found[rule.Alert] = rule.Expr
		}
	}
}
