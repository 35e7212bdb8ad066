package check

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// mayReach are the modules that open connections and that domains may import all the same. In the transaction of an operation
// another module would hold the locks while a remote server answers, and would send its request again if the work is run again.
var mayReach = []string{
	"github.com/jackc/pgx/v5", "github.com/riverqueue/river", // the database
	"github.com/google/uuid", // reads the addresses of this host, in a version that we don't use
	// They verify signatures, and import net/http for the headers.
	"github.com/standard-webhooks/standard-webhooks/libraries/go",
	"github.com/stripe/stripe-go/v83/webhook",
}

// TestDomainsAskNoOtherServers checks the imports of client libraries. TestWorkIsPure follows the work of operations through
// this module only.
func TestDomainsAskNoOtherServers(t *testing.T) {
	t.Parallel()
	imports := importsOf(list(t, "-deps"))
	if !reaches("github.com/jackc/pgx/v5", imports) {
		t.Error("pgx is said to open no connections")
	}
	for path := range imports {
		for _, broken := range askingOthers(path, imports) {
			t.Error(broken)
		}
	}
}

// askingOthers returns a sentence for each import by which a package could reach another server, unless it may.
func askingOthers(path string, imports map[string][]string) (found []string) {
	_, ours := strings.CutPrefix(path, module+"/")
	if !ours || levelOf(room(path)) != domain || clients[room(path)] {
		return nil
	}
	for _, imported := range imports[path] {
		allowed := slices.ContainsFunc(mayReach, func(m string) bool { return strings.HasPrefix(imported+"/", m+"/") })
		if room(imported) == "" && !allowed && reaches(imported, imports) {
			found = append(found, fmt.Sprintf("%s imports %s, which opens connections: insert a job in the transaction, and ask other "+
				"servers in its worker, as internal/mailer does", path, imported))
		}
	}
	return found
}

// reaches reports whether a package, or one that it imports, opens connections.
func reaches(path string, imports map[string][]string) bool {
	seen := map[string]bool{}
	var walk func(path string) bool
	walk = func(path string) bool {
		if path == "net" {
			return true
		}
		if seen[path] {
			return false
		}
		seen[path] = true
		return slices.ContainsFunc(imports[path], walk)
	}
	return walk(path)
}

func TestAskingOthersIsFound(t *testing.T) {
	t.Parallel()
	for from, reached := range map[string]map[string]bool{
		"internal/customer": {
			"net": true, "net/smtp": true, "example.com/payments": true, "net/netip": false, "github.com/jackc/pgx/v5/pgconn": false,
			"github.com/jackc/pgx/v50": true, "onlyonce/internal/postgres": false,
		},
		"internal/mailer":                       {"net/smtp": false},
		"internal/customer/customerpages":       {"net/http": false},
		"internal/invoice/mail":                 {"net/smtp": true},
		"internal/idempotency":                  {"net/smtp": false}, // has its connection from the caller
		"internal/people/account/remote/client": {"example.com/payments": true},
	} {
		for imported, want := range reached {
			got := askingOthers(module+"/"+from, map[string][]string{
				module + "/" + from: {imported}, module + "/internal/postgres": {"net"}, "net/smtp": {"net"}, "net/http": {"net"},
				"example.com/payments": {"example.com/payments/wire"}, "example.com/payments/wire": {"example.com/payments", "net/http"},
				"github.com/jackc/pgx/v5/pgconn": {"net"}, "github.com/jackc/pgx/v50": {"net"},
			})
			if want != (len(got) == 1) {
				t.Errorf("%s imports %s: got %q", from, imported, got)
			}
		}
	}
}
