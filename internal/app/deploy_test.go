package app_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/app"
	"onlyonce/internal/must"
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

// TestComposeFilesMatchWhatTheyMount checks that mounted files exist, and that each address in them is a container's.
func TestComposeFilesMatchWhatTheyMount(t *testing.T) {
	t.Parallel()
	addresses := regexp.MustCompile(`10\.0\.0\.[1-9]\d*`)
	for _, file := range composeFiles(t) {
		text := must.Read(t, file)
		mounted := regexp.MustCompile(`(?m)^ +- \./([^:]+):`).FindAllStringSubmatch(text, -1)
		if len(mounted) == 0 {
			t.Errorf("%s mounts nothing", file)
		}
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
