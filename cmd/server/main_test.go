package main

import (
	"bytes"
	"strings"
	"testing"
)

// ran gives what the program does with arguments and an environment with which it does not get to serve.
func ran(t *testing.T, env map[string]string, args ...string) (code int, out, errors string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(t.Context(), args, func(name string) string { return env[name] }, &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

func TestHelp(t *testing.T) {
	t.Parallel()
	for _, arg := range []string{"--help", "-help", "-h"} {
		code, out, errors := ran(t, nil, arg)
		if code != 0 || errors != "" || !strings.Contains(out, "DATABASE_URL (default: an embedded PostgreSQL)") {
			t.Errorf("%s: %d, %q, %q", arg, code, out, errors)
		}
	}
}

func TestUnknownArguments(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"serve"}, {"--port=80"}, {"-x"}, {"--", "serve"}, {""}} {
		code, out, errors := ran(t, nil, args...)
		if code != 2 || out != "" || strings.Count(errors, "\n") != 1 || !strings.Contains(errors, "--help") {
			t.Errorf("%q: %d, %q, %q", args, code, out, errors)
		}
	}
}

func TestUnusableSetting(t *testing.T) {
	t.Parallel()
	code, out, errors := ran(t, map[string]string{"ADDR": "127.0.0.1", "RATE_LIMIT": "many"})
	if code != 1 || out != "" || !strings.Contains(errors, "ADDR") || !strings.Contains(errors, "RATE_LIMIT") {
		t.Errorf("%d, %q, %q", code, out, errors)
	}
}
