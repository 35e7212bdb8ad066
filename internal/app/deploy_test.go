package app_test

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/oasdiff/yaml"

	"onlyonce/internal/app"
	"onlyonce/internal/assert"
	"onlyonce/internal/mailer"
	"onlyonce/internal/must"
	"onlyonce/internal/people/attempt"
	"onlyonce/internal/postgres/pgtest"
)

// TestWhatIsDeployedIsThere checks that the settings and metrics named by documents and files about deployment exist.
func TestWhatIsDeployedIsThere(t *testing.T) {
	t.Parallel()
	const root = "../../"
	var usage strings.Builder
	must.OK(t, app.Usage(&usage))
	sources, err := filepath.Glob("*.go")
	must.OK(t, err)
	var source strings.Builder
	for _, file := range sources {
		source.WriteString(must.Read(t, file))
	}
	const composed = `(?m)^      ([A-Z][A-Z_]+): (?:.*)$`
	settings, metrics := 0, 0
	patterns := map[string]string{
		root + "docs/deploy.md":              `(?m)^ *([A-Z][A-Z_]+)=`,
		root + "docker-compose.yml":          composed,
		root + "docker-compose.override.yml": composed,
		root + "Dockerfile":                  `(?m)^ENV ([A-Z_]+)=`,
		root + "internal/web/doc.go":         `\b(PUBLIC_URL|TRUSTED_PROXIES)\b`,
	}
	for _, file := range composeFiles(t) {
		patterns[file] = composed
	}
	for file, pattern := range patterns {
		for _, name := range regexp.MustCompile(pattern).FindAllStringSubmatch(must.Read(t, file), -1) {
			settings++
			ours := !slices.Contains([]string{"POSTGRES_PASSWORD", "PGPASSWORD", "CGO_ENABLED"}, name[1])
			assert.Thatf(t, !ours || strings.Contains(usage.String(), "\n  "+name[1]+" "), "%s sets %s, which is no setting", file, name[1])
		}
	}
	for _, name := range regexp.MustCompile("`(onlyonce_\\w+)").FindAllStringSubmatch(must.Read(t, root+"docs/deploy.md"), -1) {
		metrics++
		assert.Thatf(t, strings.Contains(source.String(), `"`+name[1]+`"`), "docs/deploy.md names %s, which is no metric", name[1])
	}
	assert.Thatf(t, settings >= 12 && metrics >= 3, "found %d settings and %d metrics", settings, metrics)
}

// TestComposeFilesMatchWhatTheyMount checks that mounted files exist, and that each address in them is a container's.
func TestComposeFilesMatchWhatTheyMount(t *testing.T) {
	t.Parallel()
	addresses := regexp.MustCompile(`10\.0\.0\.[1-9]\d*`)
	for _, file := range composeFiles(t) {
		text := must.Read(t, file)
		mounted := regexp.MustCompile(`(?m)^ +- \./([^:]+):`).FindAllStringSubmatch(text, -1)
		assert.Thatf(t, len(mounted) != 0, "%s mounts nothing", file)
		for _, name := range mounted {
			for _, address := range addresses.FindAllString(must.Read(t, filepath.Join(filepath.Dir(file), name[1])), -1) {
				if !strings.Contains(text, "ipv4_address: "+address+"\n") {
					t.Errorf("%s mounts %s, but no container has its address %s", file, name[1], address)
				}
			}
		}
	}
}

// composeFiles returns the paths of the compose files beside the documented configurations.
func composeFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../docs/deploy/compose-*.yml")
	must.OK(t, err)
	return files
}

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
		assert.Thatf(t, len(names) != 0, "%s is about none of the app's metrics: %s", where, expression)
		for _, name := range names {
			if name == "onlyonce_database_replication_lag_bytes" { // these databases have no standby
				continue
			}
			assert.Thatf(t, strings.Contains(metrics, "\n"+name+" ") || strings.Contains(metrics, "\n"+name+"{"),
				"%s is about %s, which the app does not have", where, name)
		}
		for _, chosen := range regexp.MustCompile(`outcome=~?"([^"]*)"`).FindAllStringSubmatch(expression, -1) {
			for outcome := range strings.SplitSeq(chosen[1], "|") {
				assert.Thatf(t, slices.Contains(outcomes, outcome), "%s is about the outcome %s, which nothing has", where, outcome)
			}
		}
	}
}

// watched returns the expressions of docs/deploy, by the names of their panels and rules.
func watched(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	boards, err := filepath.Glob("../../docs/deploy/grafana*.json")
	must.Thatf(t, err == nil && len(boards) != 0, "found %d dashboards: %v", len(boards), err)
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
		err := json.Unmarshal([]byte(must.Read(t, name)), &board)
		must.Thatf(t, err == nil && board.Title != "", "%s: %v", name, err)
		for _, p := range board.Panels {
			for _, target := range p.Targets {
				found[name+", "+p.Title+", "+target.Expr] = target.Expr
			}
		}
	}
	rules, err := filepath.Glob("../../docs/deploy/alerts*.yaml")
	must.Thatf(t, err == nil && len(rules) != 0, "found %d files of rules: %v", len(rules), err)
	for _, name := range rules {
		addRules(t, found, name)
	}
	assert.Thatf(t, len(found) >= 15, "found only %d expressions", len(found))
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
	_, err := yaml.Unmarshal([]byte(must.Read(t, name)), &rules, yaml.DecodeOpts{})
	must.OK(t, err)
	for _, group := range rules.Groups {
		for _, rule := range group.Rules {
			if rule.Alert == "" || found[rule.Alert] != "" || rule.Annotations["summary"] == "" || rule.Annotations["description"] == "" {
				t.Errorf("a rule without words, or a second one: %+v", rule)
			}
			found[rule.Alert] = rule.Expr
		}
	}
}
