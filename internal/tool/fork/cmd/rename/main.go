// Command rename renames the app; see package fork. Run it in the repository:
//
//	make rename module=example.com/acme/ledger name="Acme Ledger"
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"onlyonce/internal/tool/fork"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "rename:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("rename", flag.ContinueOnError)
	module := flags.String("module", "", "the new path of the Go module, such as example.com/acme/ledger")
	name := flags.String("name", "", `the new name, such as "Acme Ledger"`)
	slug := flags.String("slug", "", "the name of the database, settings and metrics; without it that of -name in small letters")
	if err := flags.Parse(args); err != nil {
		return fmt.Errorf("read the flags: %w", err)
	}
	if *module == "" || *name == "" {
		return errors.New(`say what the app shall be called: make rename module=example.com/acme/ledger name="Acme Ledger"`)
	}
	names, err := fork.NewNames(*module, *name, *slug)
	if err != nil {
		return err
	}
	changed, err := fork.Rename(ctx, ".", fork.Now(), names)
	if errors.Is(err, fork.ErrNothingToDo) {
		fmt.Fprintf(stdout, "It is called %s already: there is nothing to do.\n", names.Product)
		return nil
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%d files now say %s: module %s, database, role and metrics %s, environment variables %s_…, tokens %s…\n"+
		"Look at git diff, run make check, and commit. README.md and CHANGELOG.md still describe %s: write your own.\n",
		changed, names.Product, names.Module, names.Slug, strings.ToUpper(names.Slug), names.Token, fork.Now().Product)
	if _, err := os.Stat(".data"); err == nil {
		fmt.Fprintln(stdout, "The database in .data has the old name, and the renamed app cannot use it: move the directory away.")
	}
	return nil
}
