// Command scaffold writes the files of a new resource, or of a migration: see package scaffold. It is run by make resource and
// make migration, in the root of the repository.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"onlyonce/internal/tool/scaffold"
)

type commands struct {
	Resource  resource  `cmd:"" help:"Write a resource: table, domain, pages, API and tests."`
	Migration migration `cmd:"" help:"Write an empty migration with the next number."`
}

type resource struct {
	Name   string `arg:"" help:"What one of them is called: expense, or purchase_order."`
	Fields string `arg:"" help:"Its fields, with commas between them."`
	Plural string `help:"What several of them are called, if that is not found by itself."`
	Style  string `enum:"statements,run" default:"statements" help:"How the operations work: statements (one round trip) or run (code)."`
}

// Help returns the syntax of fields.
func (resource) Help() string {
	return `A field is name:type or name:type:marks. The types are text, longtext, email, url, phone, integer, decimal, percent, money,
date, time, timestamp, bool, choice(a|b|c), file, state(open>closed), lines(part:text,hours:decimal) and ref(customer): CONTRIBUTING.md has
a table. text(50), integer(1..100) and decimal(0..) have bounds. A default comes behind the type, as in status:text=open. The marks are ?
for a field that may be blank, unique for a value that no two records have in common, unique? for both, and alike for what two records
have in common if the second looks like a repeat of the first. unique(vehicle,day,slot) is a rule over several fields. The first text that
is required and has no default is what people call a record. The word external alone is for records that other systems know by ids of
their own.

  scaffold resource expense 'vendor:text:alike,spent_on:date,amount:money:alike,receipt:text:unique?'
  scaffold resource person 'name:text,email:email:unique,role:choice(owner|guest),employer:ref(customer):?'`
}

type migration struct {
	Name string `arg:"" help:"What it does: expenses_have_projects."`
}

func main() {
	var c commands
	parsed := kong.Parse(&c, kong.Name("scaffold"), kong.Description("Write the files of a new resource, or of a migration."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	paths, err := c.write(ctx, strings.Fields(parsed.Command())[0])
	if err != nil {
		fmt.Fprintf(os.Stderr, "%v\nNothing was written.\n", err)
		os.Exit(1) //nolint:gocritic // stop is for a program that goes on
	}
	for _, path := range paths {
		fmt.Fprintln(os.Stdout, path)
	}
}

func (c commands) write(ctx context.Context, what string) ([]string, error) {
	if what == "migration" {
		path, err := scaffold.Migration(".", c.Migration.Name)
		return []string{path}, err
	}
	r, err := scaffold.Parse(c.Resource.Name, c.Resource.Plural, c.Resource.Fields)
	if err != nil {
		return nil, err
	}
	r.Run = c.Resource.Style == "run"
	paths, undo, err := scaffold.Write(".", r)
	if err != nil {
		return nil, err
	}
	if err := finish(ctx, paths); err != nil {
		return nil, errors.Join(err, undo())
	}
	return paths, nil
}

// finish compiles the written files, and adds the new table to the catalog.
func finish(ctx context.Context, paths []string) error {
	vet := []string{"vet"}
	for _, path := range paths {
		if dir := "./" + filepath.Dir(path); filepath.Ext(path) == ".go" && !slices.Contains(vet, dir) {
			vet = append(vet, dir)
		}
	}
	for _, step := range [][]string{vet, {"test", "./internal/postgres", "-count=1", "-run", "^TestCatalogIsFresh$", "-update"}} {
		if out, err := exec.CommandContext(ctx, "go", step...).CombinedOutput(); err != nil {
			return fmt.Errorf("%sgo %s: %w", out, step[0], err)
		}
	}
	return nil
}
