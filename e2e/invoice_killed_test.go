package e2e

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"onlyonce/internal/postgres/pgtest"
)

// The program is killed while it creates an invoice, and restarted. The form on the browser's error page is sent once more and
// leads to the invoice, whether or not the database has completed the first attempt.
func TestKilledDuringACreate(t *testing.T) {
	onlyHere(t, "it kills the program")
	pgtest.Long(t)
	t.Parallel()
	db := demoData.New(t)
	s := newSession(t)
	s.db = db.Admin()
	s.records = sqlRecords{s, invoiceCount{s.allInvoices()}}
	binary, err := program()
	s.check(err, "build the program")
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	s.check(err, "find a free port")
	address := listener.Addr().String()
	s.check(listener.Close(), "free the port")
	s.origin = "http://" + address

	kill := s.startProgram(binary, address, parsedInOrder(t, db.URL))
	s.openBrowser(keepingPages) // the headless shell has no error page
	s.login()
	s.newInvoice()
	s.fillInvoice(s.number(1))
	release := s.lockInvoices()
	s.pointAt(buttonCreateInvoice)
	s.tap(1)
	s.until("the create waits for the lock", func() bool {
		return s.count(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) == 1
	})
	kill()
	s.isOnBrowserError()
	release()
	s.startProgram(binary, address, parsedInOrder(t, db.URL))
	s.refresh()

	s.seesHeading(headingInvoice(s.number(1)))
	s.hasOneNew(s.number(1))
}

// program builds the program, once for all tests, and returns its path. The file stays, so that the next run reuses it unless the
// source has changed.
var program = sync.OnceValues(func() (path string, err error) {
	if path, err = filepath.Abs("node_modules/.program/server"); err != nil {
		return "", err
	}
	_, err = run(context.Background(), []string{"go", "build", "-o", path, "../cmd/server"})
	return path, err
})

// startProgram runs the program until it is killed or the test ends, and waits until it is ready.
func (s *session) startProgram(binary, address, database string) (kill func()) {
	s.t.Helper()
	program := exec.Command(binary) // no context: that of the test would end it after its database
	program.Env = append(os.Environ(), "ADDR="+address, "METRICS_ADDR=off", "DATABASE_URL="+database, "DEMO=1")
	program.Stderr = s.t.Output()
	s.check(program.Start(), "start the program")
	kill = func() {
		_ = program.Process.Kill()
		_ = program.Wait()
	}
	s.t.Cleanup(kill)
	s.until("the program is ready", func() bool { return isReady("http://" + address) })
	return kill
}

func isReady(address string) bool {
	answer, err := http.Get(address + "/readyz")
	return err == nil && answer.Body.Close() == nil && answer.StatusCode == http.StatusOK
}
