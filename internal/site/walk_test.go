package site_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
)

// part is a subtest of a walk over the declared resources.
type part struct {
	of   resource
	name string
	run  func(*bundle)
}

// walk runs parts of a test of some resources under names that begin with the resource: -run TestEveryCase/customers runs the parts
// about customers. A filter without a match fails, because it would always be green.
func walk(t *testing.T, all []resource, parts []part) {
	t.Helper()
	if len(parts) == 0 {
		t.Error("the walk has no parts")
		return
	}
	alike := newFailures(t)
	ran, has := 0, map[string]bool{}
	for _, p := range parts {
		has[p.of.plural()] = true
		t.Run(p.of.plural()+"/"+p.name, func(t *testing.T) {
			ran++ // before the part becomes parallel: parts start one after the other
			b := setup(t)
			b.failures = alike
			p.run(b)
		})
	}
	if ran > 0 || acrossTests() {
		partsRun.Add(int64(ran))
		return
	}
	for _, of := range all {
		t.Run(of.plural(), func(t *testing.T) {
			if ran++; has[of.plural()] {
				t.Errorf("-run %s names nothing of %s: -v lists the names", runFilter(), of.plural())
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

// plural returns the resource's name in the names of subtests and addresses.
func (r resource) plural() string { return strings.Trim(r.path, "/") }

func runFilter() string { return flag.Lookup("test.run").Value.String() }

// acrossTests reports whether -run selects parts of all walks, as /customers does.
func acrossTests() bool { return strings.HasPrefix(runFilter(), "/") }

// leaveToWalks skips a test without parts, if -run selects parts.
func leaveToWalks(t *testing.T) {
	t.Helper()
	if acrossTests() && !strings.Contains(t.Name(), "/") {
		t.Skipf("-run %s is about parts of walks, and this is none", runFilter()) //nolint:forbidigo // not a missing prerequisite
	}
}
