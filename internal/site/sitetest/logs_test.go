package sitetest

import (
	"testing"

	"onlyonce/internal/assert"
)

func TestSecretsInLogsAreFound(t *testing.T) {
	t.Parallel()
	const key = "q8Zr0dVfYc3hJ7sLw2XnKp5tBgMa9EuTiRoQy1HvN-_"
	for line, want := range map[string]string{
		"level=INFO msg=request route=/customers/{id} status=200 request_id=019aa5b2-7c1e-7d3a-9f00-3b1d5c6e7f80": "",
		"fingerprint=6dcd4ce23d88e2ee9568ba546c007c63d9131c1b3d88e2ee9568ba546c007c63":                            "",
		"test=TestCustomersAreListedAgainAfterTheyWereArchived":                                                   "",
		`msg="log in" form="map[password:[correct horse battery staple]]"`:                                        Password,
		`header="map[Authorization:[Bearer token of Acme]]"`:                                                      "token of Acme",
		"path=/hooks/" + key:                       "",
		"session=" + key:                           key,
		`cookie="session=` + key + `; theme=dark"`: key,
		"made=oo_" + key:                           "oo_" + key,
		"href=/join?link=" + key + " user=1":       key,
	} {
		got := secretIn(line)
		assert.Thatf(t, got == want, "%s: found %q, want %q", line, got, want)
	}
}
