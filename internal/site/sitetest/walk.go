package sitetest

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"onlyonce/internal/postgres/pgtest"
)

// Part is a subtest of a walk over the declared resources.
type Part struct {
	Of   Resource
	Name string
	Run  func(*Bundle)
}

// Walk runs parts of a test of some resources under names that begin with the resource: -run TestEveryCase/customers runs the parts
// about customers. A filter without a match fails, because it would always be green.
func Walk(t *testing.T, all []Resource, parts []Part) {
	t.Helper()
	if len(parts) == 0 {
		t.Error("the walk has no parts")
		return
	}
	alike := newFailures(t)
	ran, has := 0, map[string]bool{}
	for _, p := range parts {
		has[p.Of.Plural()] = true
		t.Run(p.Of.Plural()+"/"+p.Name, func(t *testing.T) {
			ran++ // before the part becomes parallel: parts start one after the other
			b := Setup(t)
			b.failures = alike
			p.Run(b)
		})
	}
	if ran > 0 || acrossTests() {
		partsRun.Add(int64(ran))
		return
	}
	for _, of := range all {
		t.Run(of.Plural(), func(t *testing.T) {
			if ran++; has[of.Plural()] {
				t.Errorf("-run %s names nothing of %s: -v lists the names", runFilter(), of.Plural())
			}
		})
	}
	if ran == 0 {
		t.Errorf("-run %s names no resource: -v lists the names", runFilter())
	}
}

// partsRun counts the parts of all walks that ran.
var partsRun atomic.Int64

// withWalks are all tests. They fail if -run selects parts of walks, and matches none.
type withWalks struct{ *testing.M }

func (w withWalks) Run() int {
	code := w.M.Run()
	if acrossTests() && partsRun.Load() == 0 {
		fmt.Fprintf(os.Stderr, "-run %s names no part of a walk: -v lists the names\n", runFilter())
		code = max(code, 1)
	}
	return code
}

// Plural returns the resource's name in the names of subtests and addresses.
func (r Resource) Plural() string { return strings.Trim(r.Path, "/") }

func runFilter() string { return flag.Lookup("test.run").Value.String() }

// acrossTests reports whether -run selects parts of all walks, as /customers does.
func acrossTests() bool { return strings.HasPrefix(runFilter(), "/") }

// LeaveToWalks skips a test without parts, if -run selects parts.
func LeaveToWalks(t *testing.T) {
	t.Helper()
	if acrossTests() && !strings.Contains(t.Name(), "/") {
		t.Skipf("-run %s is about parts of walks, and this is none", runFilter()) //nolint:forbidigo // not a missing prerequisite
	}
}

// Main runs the tests of a package.
func Main(m *testing.M) { pgtest.Main(withWalks{m}) }
