package web

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/go-chi/chi/v5"

	"onlyonce/internal/idempotency"
)

// disturbed is a server with one route that creates something, and a session in front of it.
type disturbed struct {
	*testing.T
	*Server

	handler http.Handler
	status  int // that the handler answers with
	handled []time.Duration
	began   time.Time
}

// bubble runs a test with a clock of its own. Sessions have a goroutine that never ends, so they are made outside.
func bubble(t *testing.T, test func(*disturbed)) {
	t.Helper()
	t.Parallel()
	sessions := scs.New()
	synctest.Test(t, func(t *testing.T) {
		t.Helper()
		test(newDisturbed(t, sessions))
	})
}

func newDisturbed(t *testing.T, sessions *scs.SessionManager) *disturbed {
	t.Helper()
	d := &disturbed{
		T: t, Server: &Server{visits: newVisits(), sessions: sessions}, status: http.StatusSeeOther, began: time.Now(),
	}
	mux := chi.NewRouter()
	mux.Use(d.sessions.LoadAndSave, d.disturb)
	mux.Post("/things", func(w http.ResponseWriter, _ *http.Request) {
		d.handled = append(d.handled, time.Since(d.began))
		w.WriteHeader(d.status)
	})
	mux.Post("/things/{id}/edit", func(http.ResponseWriter, *http.Request) { d.handled = append(d.handled, time.Since(d.began)) })
	d.Routes = []Route{
		{Method: http.MethodPost, Path: "/things", Repeat: Once, Why: "thing.create"},
		{Method: http.MethodPost, Path: "/things/{id}/edit", Repeat: Once, Why: "thing.edit"},
	}
	d.resources = []*registration{{operations: []Operation{
		{Name: "thing.create", Kind: idempotency.Create}, {Name: "thing.edit", Kind: idempotency.Change},
	}}}
	d.Mux, d.handler = mux, mux
	return d
}

// post says how long a request has taken, and whether its connection was closed without an answer.
func (d *disturbed) post(path string) (took time.Duration, lost bool) {
	before := time.Now()
	defer func() { took, lost = time.Since(before), recover() != nil }()
	d.handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, path, nil))
	return 0, false
}

// ask changes the visit of the session that requests without a cookie have.
func (d *disturbed) ask(change func(*visit)) { d.visits.change(d.nobody(), change) }

func (d *disturbed) nobody() (session string) {
	d.sessions.LoadAndSave(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { session = d.visitor(r) })).
		ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
	return session
}

// TestSlowNetworkEndsByItself: creates wait before they are handled, nothing else does, and after a quarter of an hour
// nothing waits.
func TestSlowNetworkEndsByItself(t *testing.T) {
	bubble(t, func(d *disturbed) {
		if took, _ := d.post("/things"); took != 0 {
			d.Errorf("without the switch a create took %s", took)
		}
		d.ask(func(asked *visit) { asked.slow = true })
		if took, _ := d.post("/things"); took != slowFor || d.handled[1] != slowFor {
			d.Errorf("a create took %s, and was handled after %s", took, d.handled[1])
		}
		if took, _ := d.post("/things/1/edit"); took != 0 {
			d.Errorf("an edit took %s", took)
		}
		time.Sleep(visitLasts - slowFor - 1) //nolint:forbidigo // by the clock of the bubble
		if took, _ := d.post("/things"); took != slowFor {
			d.Errorf("before the end a create took %s", took)
		}
		if took, _ := d.post("/things"); took != 0 {
			d.Errorf("after %s a create took %s", visitLasts, took)
		}
	})
}

// TestConnectionBreaksOnce: after a create that was carried out, and not after a refusal.
func TestConnectionBreaksOnce(t *testing.T) {
	bubble(t, func(d *disturbed) {
		d.ask(func(asked *visit) { asked.cut = true })
		d.status = http.StatusConflict
		if _, lost := d.post("/things"); lost {
			d.Error("a refusal was lost")
		}
		d.status = http.StatusSeeOther
		if _, lost := d.post("/things"); !lost {
			d.Error("the answer was not lost")
		}
		if _, lost := d.post("/things"); lost || len(d.handled) != 3 {
			d.Errorf("the second answer was lost: %t, after %d requests", lost, len(d.handled))
		}
		d.ask(func(asked *visit) { asked.cut = true })
		time.Sleep(visitLasts) //nolint:forbidigo // by the clock of the bubble
		if _, lost := d.post("/things"); lost {
			d.Errorf("after %s an answer was lost", visitLasts)
		}
	})
}

// TestManyWhoWait: beyond a number of requests that wait, the others do not. Nothing grows with the number of visitors.
func TestManyWhoWait(t *testing.T) {
	bubble(t, func(d *disturbed) {
		d.ask(func(asked *visit) { asked.slow = true })
		for range slowAtOnce {
			go func() { d.visits.wait(httptest.NewRequest(http.MethodPost, "/things", nil)) }()
		}
		synctest.Wait()
		if took, _ := d.post("/things"); took != 0 {
			d.Errorf("while %d wait, one more waited for %s", slowAtOnce, took)
		}
		time.Sleep(slowFor) //nolint:forbidigo // by the clock of the bubble
		synctest.Wait()
		if took, _ := d.post("/things"); took != slowFor {
			d.Errorf("a create took %s", took)
		}
		for n := range visitsAtOnce + 1 {
			d.visits.change(string(rune(n)), func(asked *visit) { asked.slow = true })
		}
		if n := d.visits.of.Len(); n != visitsAtOnce {
			d.Errorf("%d visits are remembered", n)
		}
	})
}
