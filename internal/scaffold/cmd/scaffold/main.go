// Command scaffold writes the files of a new resource, or of a migration: see package scaffold. It is run by make resource and
// make migration, in the root of the repository.
package main

import (
	"fmt"
	"os"

	"github.com/alecthomas/kong"

	"onlyonce/internal/scaffold"
)

type commands struct {
	Resource struct {
		Name   string `arg:"" help:"What one of them is called: expense, or purchase_order."`
		Fields string `arg:"" help:"Its fields: vendor:text,spent_on:date,amount:money,receipt:text:unique?"`
		Plural string `help:"What several of them are called, if that is not found by itself."`
	} `cmd:"" help:"Write a resource: table, domain, pages, API and tests. Types: text, longtext, integer, decimal, money, date, bool, choice(a|b|c), ref(customer). Marks: ? for optional, unique, unique?."`
	Migration struct {
		Name string `arg:"" help:"What it does: expenses_have_projects."`
	} `cmd:"" help:"Write an empty migration with the next number."`
}

func main() {
	var c commands
	parsed := kong.Parse(&c, kong.Name("scaffold"), kong.Description("Write the files of a new resource, or of a migration."))
	var paths []string
	var err error
	switch parsed.Selected().Name {
	case "migration":
		var path string
		path, err = scaffold.Migration(".", c.Migration.Name)
		paths = []string{path}
	default:
		paths, err = resource(c.Resource.Name, c.Resource.Plural, c.Resource.Fields)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, path := range paths {
		fmt.Fprintln(os.Stdout, path)
	}
}

func resource(one, plural, fields string) ([]string, error) {
	r, err := scaffold.Parse(one, plural, fields)
	if err != nil {
		return nil, fmt.Errorf("%w\nNothing was written", err)
	}
	paths, err := scaffold.Write(".", r)
	if err != nil {
		return nil, fmt.Errorf("%w\nNothing was written", err)
	}
	return paths, nil
}
