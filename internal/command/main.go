// Package command is the command line. Without arguments the program serves: without any setting it starts its own PostgreSQL, creates
// demo data and listens on 127.0.0.1:8080. Its other commands create tenants, users and API tokens, migrate, and check the installation.
// Its --help lists the commands, the exit codes and the environment variables.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"onlyonce/internal/app"
	"onlyonce/internal/invalid"
	"onlyonce/internal/people/account"
	"onlyonce/internal/people/business"
	"onlyonce/migrations"
)

// Main runs the command of [os.Args] in a program with a site, and exits.
func Main(site app.Site) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr, site)
	stop()
	os.Exit(code)
}

const program = "onlyonce"

// Exit codes.
const (
	done     = 0
	failed   = 1
	misused  = 2
	notFound = 3
	exists   = 4
)

const exitCodes = `
Exit codes:
  0  done, or nothing to do
  1  failed
  2  the command line, or what was typed, cannot be used
  3  there is no such tenant, user or token
  4  it exists already, but differs from what you asked for: a token whose secret
     cannot be shown again, the email of a user of another tenant, a file that
     was imported before, or the name of another tenant

`

// commands is the command line.
type commands struct {
	JSON    bool             `help:"Print one JSON object, or an array of them."`
	Version kong.VersionFlag `help:"Print the version of this program and of its schema."`

	Serve   serve           `cmd:"" help:"Run the app. This is the default."`
	Migrate migrate         `cmd:"" help:"Bring the schema of the database up to that of this program, as each start of the app does."`
	Upgrade upgradeDatabase `cmd:"" name:"upgrade-database" help:"Move the embedded database to the newest PostgreSQL that is installed."`
	Tenant  struct {
		Create tenantCreate `cmd:"" help:"Make a tenant, or say that it is there."`
		List   tenantList   `cmd:"" help:"List the tenants, at most 1000, in the order of their ids."`
		Export tenantExport `cmd:"" help:"Write the data of a tenant to a ZIP file, without users, tokens and secrets."`
		Import tenantImport `cmd:"" help:"Make a tenant from such a file, as the superuser of ADMIN_URL."`
	} `cmd:"" help:"Tenants: businesses whose data is kept apart."`
	User struct {
		Create   userCreate   `cmd:"" help:"Make a user, whose password is read from stdin, or say that it is there."`
		Password userPassword `cmd:"" help:"Give a user the password that is read from stdin, and end sessions and a link to choose one."`
		Disable  userDisable  `cmd:"" help:"Keep a user from logging in, and end sessions and a link to choose a password."`
		Enable   userEnable   `cmd:"" help:"Let a user log in again."`
		Admin    userAdmin    `cmd:"" help:"Let a user see all tenants and users, and try failed jobs again, or not with --revoke."`
	} `cmd:"" help:"Users: people who may log in."`
	Token struct {
		Create tokenCreate `cmd:"" help:"Make an API token and print it, this once."`
		List   tokenList   `cmd:"" help:"List the API tokens that were not revoked, at most 1000, by name."`
		Revoke tokenRevoke `cmd:"" help:"Revoke an API token. It stops working within five seconds."`
	} `cmd:"" help:"API tokens: programs that may use the API of a tenant."`
	Duplicates duplicates `cmd:"" help:"List the customers of a tenant who look alike, in at most 1000 groups, each with the reason."`
	Health     health     `cmd:"" help:"Ask the app that listens at ADDR whether it is ready: for containers and scripts without curl."`
	Routes     routes     `cmd:"" help:"Print every route, whether it reads, and else its operation, or why a repeat is safe."`
	PSQL       psql       `cmd:"" name:"psql" help:"Run psql as the app's role, in one tenant. It only reads without --write."`
	Doctor     doctor     `cmd:"" help:"Look for what is wrong with the settings and the database, and say what to do."`
}

const description = `Invoicing in which the same thing is never created twice. Every command may be repeated.

The commands use the database that the app uses: that of DATABASE_URL, or the embedded PostgreSQL in DATA_DIR. If the app ` +
	`runs on that directory, they use its server. Otherwise they start the server and stop it again.`

// run runs a command and returns the exit code.
func run(
	ctx context.Context, args, environ []string, stdin io.Reader, stdout, stderr io.Writer, site app.Site,
) (code int) {
	if len(args) == 0 {
		args = []string{"serve"}
	}
	var c commands
	helped := false
	parser, err := kong.New(&c, kong.Name(program), kong.Description(description), kong.Writers(stdout, stderr),
		kong.Vars{"version": version()}, kong.ConfigureHelp(kong.HelpOptions{Compact: true}), kong.Help(help(stdout)),
		kong.Exit(func(int) { helped = true }))
	if err != nil {
		fmt.Fprintln(stderr, program+":", err)
		return failed
	}
	parsed, err := parser.Parse(args)
	switch {
	case helped:
		return done
	case err != nil:
		fmt.Fprintf(stderr, "%s: %v: see --help\n", program, err)
		return misused
	}
	t := &terminal{site: site, environ: environ, stdin: stdin, stdout: stdout, stderr: stderr, json: c.JSON}
	parsed.BindTo(ctx, (*context.Context)(nil))
	err = parsed.Run(t)
	if err != nil {
		fmt.Fprintln(stderr, program+":", message(err))
	}
	return exitCode(err)
}

// release is the number of the release, set by the linker.
var release = "(devel)"

// version returns the release of this program, its commit unless the build omitted it, its newest migration, and its Go
// version.
func version() string {
	var commit string
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range info.Settings {
			switch {
			case setting.Key == "vcs.revision":
				commit = ", commit " + setting.Value
			case setting.Key == "vcs.modified" && setting.Value == "true":
				commit += " with changes"
			}
		}
	}
	schema, _ := migrations.Newest(migrations.FS) // a file without a number makes each start fail
	return fmt.Sprintf("%s %s%s, schema %d, %s", program, release, commit, schema, runtime.Version())
}

// help prints the help of a command, and for the whole program the exit codes and the environment variables too.
func help(stdout io.Writer) kong.HelpPrinter {
	return func(options kong.HelpOptions, ctx *kong.Context) error {
		if err := kong.DefaultHelpPrinter(options, ctx); err != nil {
			return fmt.Errorf("write the help: %w", err)
		}
		if ctx.Selected() != nil {
			return nil
		}
		if _, err := io.WriteString(stdout, exitCodes); err != nil {
			return fmt.Errorf("write the help: %w", err)
		}
		return app.Usage(stdout)
	}
}

func exitCode(err error) int {
	_, wrong := errors.AsType[*invalid.Error](err)
	switch {
	case err == nil:
		return done
	case wrong:
		return misused
	case errors.Is(err, account.ErrNotFound):
		return notFound
	case errors.Is(err, account.ErrTaken), errors.Is(err, account.ErrExists), errors.Is(err, business.ErrImported),
		errors.Is(err, business.ErrNameTaken):
		return exists
	default:
		return failed
	}
}

// message returns the text of an error, in sentences for invalid input.
func message(err error) string {
	wrong, ok := errors.AsType[*invalid.Error](err)
	if !ok {
		return err.Error()
	}
	sentences := make([]string, len(wrong.Fields))
	for i, field := range wrong.Fields {
		sentences[i] = field.Message
	}
	return strings.Join(sentences, " ")
}
