// Command remove takes a part away from the app; see package fork. Run it in the repository:
//
//	make remove what=invoices
package main

import (
	"context"
	"errors"
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
		fmt.Fprintln(os.Stderr, "remove:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout io.Writer) error {
	if len(args) != 1 || args[0] == "" {
		return errors.New("say what to remove: make remove what=invoices")
	}
	done, err := fork.Remove(ctx, ".", args[0])
	if errors.Is(err, fork.ErrNothingToDo) {
		fmt.Fprintf(stdout, "There is no %s any more: there is nothing to do.\n", args[0])
		return nil
	}
	if err != nil {
		return err
	}
	if with := done.Parts[:len(done.Parts)-1]; len(with) > 0 {
		fmt.Fprintf(stdout, "With it goes what cannot do without it: %s.\n", strings.Join(with, ", "))
	}
	fmt.Fprintf(stdout, "%d files are gone or changed. Look at git diff, run make check, and commit.\n", done.Files)
	return nil
}
