package app_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/app"
	"onlyonce/internal/proof/must"
)

// TestWhatIsDeployedIsThere: the settings and metrics that the pages and files about deploying name are those of the program.
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
	for file, pattern := range map[string]string{
		root + "docs/deploy.md":              `(?m)^ *([A-Z][A-Z_]+)=`,
		root + "docker-compose.yml":          composed,
		root + "docker-compose.override.yml": composed,
		root + "Dockerfile":                  `(?m)^ENV ([A-Z_]+)=`,
		root + "internal/web/doc.go":         `\b(PUBLIC_URL|TRUSTED_PROXIES)\b`,
	} {
		for _, name := range regexp.MustCompile(pattern).FindAllStringSubmatch(must.Read(t, file), -1) {
			settings++
			ours := !slices.Contains([]string{"POSTGRES_PASSWORD", "CGO_ENABLED"}, name[1])
			if ours && !strings.Contains(usage.String(), "\n  "+name[1]+" ") {
				t.Errorf("%s sets %s, which is no setting", file, name[1])
			}
		}
	}
	for _, name := range regexp.MustCompile("`(onlyonce_\\w+)").FindAllStringSubmatch(must.Read(t, root+"docs/deploy.md"), -1) {
		metrics++
		if !strings.Contains(source.String(), `"`+name[1]+`"`) {
			t.Errorf("docs/deploy.md names %s, which is no metric", name[1])
		}
	}
	if settings < 12 || metrics < 3 {
		t.Errorf("found %d settings and %d metrics", settings, metrics)
	}
}
