package e2e

import (
	"bytes"
	"cmp"
	"encoding/json"
	"image"
	"image/jpeg"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/oasdiff/yaml"

	"onlyonce/e2e/servers"
	"onlyonce/internal/assert"
	"onlyonce/internal/must"
)

// TestSuiteIsRunElsewhere runs the archive of make suite on an app, like the step of action.yml, and checks that it does not need
// Go. In the archive this test program replaces the compiled one, so that nothing is built twice.
func TestSuiteIsRunElsewhere(t *testing.T) {
	onlyHere(t, "it is about the suite itself")
	onlyInChromium(t, "it is about the suite itself")
	t.Parallel()
	server := httptest.NewServer(servers.New(servers.None, servers.Usual))
	t.Cleanup(server.Close)
	program, err := exec.LookPath("go")
	must.OK(t, err)
	modules, err := filepath.Abs("node_modules")
	must.OK(t, err)
	directory := t.TempDir()
	run := func(name string, wantedCode int, env []string, arguments ...string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), name, arguments...)
		command.Dir, command.Env = directory, append(append(os.Environ(), "PATH="+directory+":"+os.Getenv("PATH"), "MAKEFLAGS="), env...)
		output, _ := command.CombinedOutput()
		code := command.ProcessState.ExitCode()
		must.Thatf(t, code == wantedCode, "%s exits with %d, want %d:\n%s", name, code, wantedCode, output)
		return string(output)
	}
	write := func(name, text string) {
		t.Helper()
		must.OK(t, os.WriteFile(filepath.Join(directory, name), []byte(text), 0o700))
	}
	little := must.Read(t, "apps/little.json")
	const forms = `"forms": [{"name": "expense", "form": {"path": "/expenses/new", "button": "Save",
		"fields": [{"label": "Title", "text": "Desk"}]}, "count": {"page": "/expenses", "record": "li", "difference": true}},
		{"name": "another", "form": {"path": "/expenses/new", "button": "Save and close",
		"fields": [{"label": "Title", "text": "Chair {mark}"}]}}], "edit": `
	write("app.json", strings.NewReplacer("http://127.0.0.1:8090", server.URL, `"edit": `, forms).Replace(little))
	write("this", "#!/bin/sh\nexec '"+os.Args[0]+"' \"$@\"\n")
	write("go", "#!/bin/sh\n[ \"$1 $2\" = 'test -c' ] || exec '"+program+"' \"$@\"\ncp '"+directory+"/this' \"$5\"\n")
	run("make", 0, nil, "-C", filepath.Dir(filepath.Dir(modules)), "suite", "ARCHIVE="+directory+"/suite.tar.gz")
	run("tar", 0, nil, "-xzf", "suite.tar.gz")
	must.OK(t, os.Symlink(modules, directory+"/onlyonce/e2e/node_modules"))
	for _, name := range []string{"go", "npm"} { // npm has nothing to install, because the modules are linked
		write(name, "#!/bin/sh\necho asks "+name+"; exit 2\n")
	}

	step, env := stepOfAction(t, map[string]string{"app": "app.json", "run": "somebody clicks twice$"})
	output := run("bash", 1, append(env, "GITHUB_ACTION_PATH="+directory+"/onlyonce/e2e"), "-eo", "pipefail", "-c", step)
	row := "| fingers | somebody clicks twice | duplicates (2) |"
	assert.Thatf(t, strings.Count(output, row) == 2, "the output has no %q for two forms:\n%s", row, output)
	for name, want := range map[string]string{
		"badge.svg": "Created once: 0 of 2, grade D", "index.html": "data:image/jpeg",
		"junit.xml":               `<testsuite name="one of the little servers, another" tests="2" failures="1"`,
		"description-expense.png": "PNG", "description-another.png": "PNG",
	} {
		text, err := os.ReadFile(filepath.Join(directory, "onlyonce-report", name))
		assert.Thatf(t, err == nil && strings.Contains(string(text), want), "%s has no %q: %v", name, want, err)
		if marks := strings.Count(string(text), `name="mark"`); name == "junit.xml" && marks != 2 {
			t.Errorf("the two attempts on a form with {mark} have %d marks, and those on the other one have no marks:\n%s", marks, text)
		}
	}
	kept := must.Read(t, directory+"/onlyonce-report/stories/TestOtherApp-another-somebody_clicks_twice.json")
	framed, size := pixelsOf(t, kept, 0xd6, 0x33, 0x6c)
	assert.Thatf(t, framed >= 1000 && size.X <= 420 && size.Y <= 300,
		"%d pixels of a picture of %v frame records: want two, and no more around them", framed, size)
	assert.Thatf(t, strings.Contains(kept, `"the list afterwards"`), "the story does not name the picture:\n%s", kept)
}

// TestOwnScenario runs the example of a scenario in TypeScript on a server that passes it, and on one that fails it.
func TestOwnScenario(t *testing.T) {
	onlyHere(t, "it is about the suite itself")
	onlyInChromium(t, "it is about the suite itself")
	t.Parallel()
	for protection, want := range map[servers.Protection]string{servers.Key: "1 passed", servers.None: `Received: \S*2`} {
		t.Run(protection.String(), func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(servers.New(protection, servers.Usual))
			t.Cleanup(server.Close)
			scenario := exec.CommandContext(t.Context(), "node", "node_modules/@playwright/test/cli.js", "test", "-c", "typescript",
				"--output", t.TempDir())
			scenario.Env = append(os.Environ(), "APP_URL="+server.URL, "E2E_PROGRAM="+os.Args[0])
			output, err := scenario.CombinedOutput()
			assert.Thatf(t, (err == nil) == (protection == servers.Key) && regexp.MustCompile(want).Match(output),
				"%v, and the output has no %s:\n%s", err, want, output)
		})
	}
}

// stepOfAction returns the command of the step in action.yml, and its environment with these inputs.
func stepOfAction(t *testing.T, inputs map[string]string) (step string, env []string) {
	t.Helper()
	text := must.Read(t, "action.yml")
	var action struct {
		Inputs map[string]struct{ Default string }
		Runs   struct {
			Steps []struct {
				Run string
				Env map[string]string
			}
		}
	}
	_, err := yaml.Unmarshal([]byte(text), &action, yaml.DecodeOpts{})
	must.Thatf(t, err == nil && len(action.Runs.Steps) == 1, "%v: %+v", err, action)
	for name, value := range action.Runs.Steps[0].Env {
		input := strings.TrimSuffix(strings.TrimPrefix(value, "${{ inputs."), " }}")
		declared, known := action.Inputs[input]
		assert.Thatf(t, known, "%s is %s, which is no input", name, value)
		env = append(env, name+"="+cmp.Or(inputs[input], declared.Default))
	}
	assert.Thatf(t, len(env) == len(action.Inputs), "the step has the environment %q, and there are other inputs", env)
	return action.Runs.Steps[0].Run, env
}

// pixelsOf counts the pixels of a story's picture that are close to a color, and returns the picture's size.
func pixelsOf(t *testing.T, story string, red, green, blue int) (n int, size image.Point) {
	t.Helper()
	var kept struct {
		Picture []byte `json:"picture"`
	}
	must.OK(t, json.Unmarshal([]byte(story), &kept))
	picture, err := jpeg.Decode(bytes.NewReader(kept.Picture))
	must.OK(t, err)
	near := func(a uint32, b int) bool { return max(int(a>>8)-b, b-int(a>>8)) < 40 }
	for y := range picture.Bounds().Dy() {
		for x := range picture.Bounds().Dx() {
			if r, g, b, _ := picture.At(x, y).RGBA(); near(r, red) && near(g, green) && near(b, blue) {
				n++
			}
		}
	}
	return n, picture.Bounds().Size()
}
