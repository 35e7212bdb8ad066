package command

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"onlyonce/internal/app/apptest"
	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/migrations"
)

// ran runs the program with arguments, an environment, and an empty stdin.
func ran(t *testing.T, env map[string]string, args ...string) (code int, out, errors string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(t.Context(), args, pairs(env), strings.NewReader(""), &stdout, &stderr, apptest.Site())
	return code, stdout.String(), stderr.String()
}

func pairs(env map[string]string) (environ []string) {
	for name, value := range env {
		environ = append(environ, name+"="+value)
	}
	return environ
}

func TestHelp(t *testing.T) {
	t.Parallel()
	for _, arg := range []string{"--help", "-h"} {
		code, out, errors := ran(t, nil, arg)
		for _, want := range []string{"token revoke", "3  there is no such", "DATABASE_URL (default: an embedded PostgreSQL)"} {
			assert.Thatf(t, code == done && errors == "" && strings.Contains(out, want), "%s: %d, %q, %q", arg, code, out, errors)
		}
	}
	code, out, errors := ran(t, nil, "token", "create", "--help")
	assert.Thatf(t, code == done && errors == "" && strings.Contains(out, "--replace") && !strings.Contains(out, "DATABASE_URL"),
		"of a command: %d, %q, %q", code, out, errors)
}

// TestVersion: --version needs no database, and prints the version of the schema.
func TestVersion(t *testing.T) {
	t.Parallel()
	schema, err := migrations.Newest(migrations.FS)
	must.OK(t, err)
	code, out, errors := ran(t, map[string]string{"ADDR": "nowhere"}, "--version")
	want := regexp.MustCompile(fmt.Sprintf(`^onlyonce \(devel\)(, commit \w+( with changes)?)?, schema %d, go1\.\S+\n$`, schema))
	assert.Thatf(t, code == done && errors == "" && want.MatchString(out), "%d, %q, %q, want %s", code, out, errors, want)
}

func TestRoutes(t *testing.T) {
	t.Parallel()
	code, out, errors := ran(t, nil, "routes")
	for _, want := range []string{
		`/static/\*  +read +internal/web/server\.go:\d+`,
		`/customers  +once +customer\.upsert +internal/customer/customerpages/customers\.go:\d+`,
		`/api/v1/customers/\{id\}  +once +customer\.edit +internal/customer/customerpages/customers\.go:\d+`,
		`/logout  +natural  being logged out is a state +internal/people/peoplepages/login\.go:\d+`,
	} {
		assert.Thatf(t, regexp.MustCompile(`(?m)^(GET|POST|PUT)  +`+want+`$`).MatchString(out), "no line %s", want)
	}
	assert.Thatf(t, code == done && errors == "", "%d, %q", code, errors)
}

func TestUnknownArguments(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"--port=80"}, {"-x"}, {""}, {"sing"}, {"serve", "80"}, {"tenant"}, {"tenant", "create"},
		{"user", "create", "ada@example.com"}, {"user", "password", "ada@example.com", "a password"},
		{"token", "list"}, {"tenant", "list", "--after", "x"},
	} {
		code, out, errors := ran(t, nil, args...)
		assert.Thatf(t, code == misused && out == "" && strings.Count(errors, "\n") == 1 && strings.Contains(errors, "--help"),
			"%q: %d, %q, %q", args, code, out, errors)
	}
}

// TestWarningsAtTheStart are printed even if the start then fails.
func TestWarningsAtTheStart(t *testing.T) {
	t.Parallel()
	_, _, errors := ran(t, map[string]string{"ADDR": ":0"})
	if !strings.Contains(errors, "level=WARN msg=settings") || !strings.Contains(errors, "PUBLIC_URL is not set, so logins need HTTPS") {
		t.Error(errors)
	}
}

func TestUnusableSetting(t *testing.T) {
	t.Parallel()
	code, out, errors := ran(t, map[string]string{"ADDR": "127.0.0.1", "RATE_LIMIT": "many"})
	assert.Thatf(t, code == failed && out == "" && strings.Contains(errors, "ADDR") && strings.Contains(errors, "RATE_LIMIT"),
		"%d, %q, %q", code, out, errors)
}
