package command

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"onlyonce/internal/app/apptest"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
)

// states returns the doctor's findings by check. If a check has several findings, the last one counts.
func (b *bundle) states(code int, env map[string]string) map[string]string {
	b.Helper()
	var stdout, stderr bytes.Buffer
	got := run(b.Context(), []string{"doctor", "--json"}, b.environ(pairs(env)...), strings.NewReader(""), &stdout, &stderr, apptest.Site())
	if got != code {
		b.Errorf("code %d, want %d: %s%s", got, code, stdout.String(), stderr.String())
	}
	var found []finding
	if err := json.Unmarshal(stdout.Bytes(), &found); err != nil {
		b.Fatalf("%v: %s", err, stdout.String())
	}
	states := map[string]string{}
	for _, f := range found {
		if f.Detail == "" {
			b.Errorf("%s says nothing", f.Check)
		}
		states[f.Check] = f.State
	}
	return states
}

func TestDoctor(t *testing.T) {
	b := setup(t)
	for range 2 {
		states := b.states(done, map[string]string{"DEMO": "1"})
		for _, check := range []string{
			"settings", "database", "version", "role", "encoding", "isolation", "session", "pooler", "clock", "timeouts", "schema", "owner",
			"names", "rights", "catalog",
		} {
			if states[check] != "ok" {
				t.Errorf("%s: %q", check, states[check])
			}
		}
	}
	spoiled := pgtest.New(t)
	spoiled.Spoil(t)
	must.Exec(t, spoiled.Pool, "DROP POLICY tenant_isolation ON customers")
	for name, c := range map[string]struct {
		code        int
		env         map[string]string
		check, want string
	}{
		"unusable setting": {failed, map[string]string{"ADDR": "x"}, "settings", "failed"},
		"one address":      {failed, map[string]string{"DEMO": "1", "METRICS_ADDR": "127.0.0.1:8080"}, "settings", "failed"},
		"no mail server":   {done, nil, "settings", "warning"},
		"two databases":    {done, map[string]string{"DATA_DIR": "x", "DEMO": "1"}, "settings", "warning"},
		"no policy":        {failed, map[string]string{"DATABASE_URL": spoiled.URL}, "catalog", "failed"},
		"superuser":        {failed, map[string]string{"DATABASE_URL": b.AdminURL}, "role", "failed"},
		"no database":      {failed, map[string]string{"DATABASE_URL": "postgres://a@127.0.0.1:1/a"}, "database", "failed"},
	} {
		if got := b.states(c.code, c.env)[c.check]; got != c.want {
			t.Errorf("%s: %s %q, want %q", name, c.check, got, c.want)
		}
	}
	out := b.want(done, "", "doctor")
	if !strings.Contains(out, "ok       database") || !strings.Contains(out, "  settings  ") {
		t.Errorf("%s", out)
	}
}
