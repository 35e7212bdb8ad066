package fork_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/proof/replica"
	"onlyonce/internal/tool/fork"
	"onlyonce/internal/tool/scratch"
)

// instead returns the commands of the tutorial that the test doesn't run, with their replacements. Those without one need another machine,
// or have a test elsewhere. Every other command is run.
func instead() map[string]string {
	return map[string]string{
		"git clone https://git.example.com/onlyonce.git workshop": "",
		"cd workshop": "",
		"e2e/setup":   `ln -s "$INSTALLED" e2e/node_modules`,
		"make check":  "go tool templ generate -check && go test -count=1 -vet=off ./internal/tool/check",
		"make quick": "go test -vet=off -short ./internal/app ./internal/booking/... ./internal/command ./internal/customer/... " +
			"./internal/jobcard/... ./internal/people/... ./internal/postgres ./internal/site ./internal/tool/scenario/... " +
			"./internal/vehicle/... ./internal/web ./static ./templates",
		"make release PLATFORMS=linux-amd64":                                                          "", // .ci/run
		"scp dist/workshop-0.1.0-linux-amd64.deb root@workshop.example.com:":                          "",
		"ssh root@workshop.example.com apt install --yes ./workshop-0.1.0-linux-amd64.deb postgresql": "",
	}
}

// TestTutorial follows docs/tutorial.md in a copy of the app: it runs the commands, compares their output, and makes the changes.
func TestTutorial(t *testing.T) {
	pgtest.Long(t)
	t.Parallel()
	if fork.Now().Renamed() { // as in the tutorial
		return
	}
	r := newReader(t)
	defer r.stop()
	replaced, left := instead(), instead()
	for _, b := range blocksOfTutorial(t) {
		switch b.kind {
		case "heading":
			r.stop()
		case "sh":
			r.output = ""
			for _, command := range commandsOf(b.text) {
				other, known := replaced[command]
				if known {
					delete(left, command)
					command = other
				}
				r.do(command)
			}
		case "text":
			r.sees(b.text)
		case "diff":
			r.apply(b.text)
		case "ini":
			r.knows(b.text)
		default:
			r.write(b.file, b.text)
		}
		must.Thatf(t, !t.Failed(), "docs/tutorial.md:%d: the first block that isn't so", b.line)
	}
	for command := range left {
		t.Errorf("the tutorial has no %q any more", command)
	}
}

// block is a fenced block of the tutorial, or a heading.
type block struct {
	kind string // the language
	line int
	file string // of a block that is a whole file
	text string
}

var (
	fenced = regexp.MustCompile("(?ms)^(## .*?)$|^```(\\w*)\n(.*?)^```$")
	named  = regexp.MustCompile("`([^`\n]+)`:\n\n$")
)

// blocksOfTutorial returns the blocks in their order. The sentence before a whole file ends with its name.
func blocksOfTutorial(t *testing.T) (blocks []block) {
	t.Helper()
	page := must.Read(t, "../../../docs/tutorial.md")
	for _, at := range fenced.FindAllStringSubmatchIndex(page, -1) {
		b := block{kind: "heading", line: 1 + strings.Count(page[:at[0]], "\n")}
		if at[2] < 0 {
			b.kind, b.text = page[at[4]:at[5]], page[at[6]:at[7]]
		}
		if name := named.FindStringSubmatch(page[:at[0]]); name != nil {
			b.file = name[1]
		}
		blocks = append(blocks, b)
	}
	return blocks
}

// commandsOf returns the commands of a block, without comments.
func commandsOf(text string) (commands []string) {
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\\\n", ""), "\n") {
		command, _, _ := strings.Cut(line, "  # ")
		if command = strings.Join(strings.Fields(command), " "); command != "" {
			commands = append(commands, command)
		}
	}
	return commands
}

// reader follows the tutorial.
type reader struct {
	*scratch.Repository

	address   string    // of the app, in place of the usual one
	app       *exec.Cmd // nil while it doesn't run
	output    string    // of the last commands
	installed string    // the packages of e2e/package.json
}

const usual = "127.0.0.1:8080"

func newReader(t *testing.T) *reader {
	t.Helper()
	r := &reader{Repository: scratch.Copy(t, "../../..")}
	var err error
	r.address, err = replica.FreePort(t.Context())
	must.OK(t, err)
	r.installed, err = filepath.Abs("../../../e2e/node_modules") // by e2e/setup
	must.OK(t, err)
	return r
}

// command returns a command in the copy, as the leader of a process group.
func (r *reader) command(line string) *exec.Cmd {
	c := exec.CommandContext(r.Context(), "sh", "-euc", strings.ReplaceAll(line, usual, r.address))
	c.Dir = r.Dir
	c.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false -trimpath", "ADDR="+r.address, "METRICS_ADDR=off", "INSTALLED="+r.installed,
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com")
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return c
}

// do runs a command. make run goes on until the next heading.
func (r *reader) do(line string) {
	r.Helper()
	if strings.HasSuffix(line, "make run") {
		r.start(line)
		return
	}
	out, err := r.command(line).CombinedOutput()
	r.output += string(out)
	assert.Thatf(r, err == nil, "%s: %v\n%s", line, err, out)
}

// start starts the app on an empty database, and waits for the end of its banner.
func (r *reader) start(line string) {
	r.Helper()
	db := pgtest.New(r.T)
	db.Spoil(r.T)
	must.Exec(r.T, db.Pool, "DROP SCHEMA public, river CASCADE; CREATE SCHEMA public")
	said := filepath.Join(r.TempDir(), "said")
	output, err := os.Create(said)
	must.OK(r.T, err)
	defer output.Close()
	defer func() {
		if r.Failed() {
			r.Log(r.output)
		}
	}()
	r.app = r.command(line)
	r.app.Env = append(r.app.Env, "DATABASE_URL="+db.URL, "DEMO=1", "SECRET_KEY="+strings.Repeat("MDEy", 10)+"MDE=") // as if it had its own
	r.app.Stdout, r.app.Stderr = output, output
	must.OK(r.T, r.app.Start())
	until(r.T, "the app", func() bool {
		r.output = must.Read(r.T, said)
		return strings.Contains(r.output, " is ready: ") && strings.HasSuffix(r.output, "\n\n")
	})
}

// stop ends the app, as Ctrl-C does.
func (r *reader) stop() {
	if r.app != nil {
		_ = syscall.Kill(-r.app.Process.Pid, syscall.SIGINT)
		_ = r.app.Wait() // an error, because make was interrupted
		r.app = nil
	}
}

// sees compares the output of the last commands, in which … may be any text, on one line or several.
func (r *reader) sees(stated string) {
	r.Helper()
	rest := r.output
	for part := range strings.SplitSeq(strings.ReplaceAll(strings.TrimSpace(stated), usual, r.address), "…") {
		_, after, found := strings.Cut(rest, strings.TrimSpace(part))
		assert.Thatf(r, found, "the output has no %q:\n%s", part, r.output)
		rest = after
	}
}

func (r *reader) apply(patch string) {
	r.Helper()
	c := r.command("git apply")
	c.Stdin = strings.NewReader(patch)
	var wrong bytes.Buffer
	c.Stderr = &wrong
	if err := c.Run(); err != nil {
		r.Errorf("the change can't be made: %v\n%s\n%s", err, wrong.String(), patch)
	}
}

// knows checks that the help of the server explains each variable of some settings.
func (r *reader) knows(settings string) {
	r.Helper()
	help := r.Run("go", "run", "./cmd/server", "--help")
	for line := range strings.Lines(settings) {
		name, _, _ := strings.Cut(line, "=")
		assert.Thatf(r, strings.Contains(help, name), "the help has no %q:\n%s", name, help)
	}
}

// write writes a whole file. Its name may be a pattern of a file that is there.
func (r *reader) write(name, text string) {
	r.Helper()
	if strings.Contains(name, "*") {
		found, err := filepath.Glob(filepath.Join(r.Dir, name))
		must.Thatf(r, err == nil && len(found) == 1, "%s is the name of %d files: %v", name, len(found), err)
		name, err = filepath.Rel(r.Dir, found[0])
		must.OK(r, err)
	}
	must.Thatf(r, name != "", "this block is no command, output or change, and the sentence before it names no file:\n%s", text)
	r.Repository.Write(name, text, 0o644)
}
