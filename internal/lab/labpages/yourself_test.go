package labpages

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
)

// disturbed is a server with one route that creates records.
type disturbed struct {
	*testing.T
	disturber

	handler http.Handler
	status  int // of the handler's answers
	handled []time.Duration
	began   time.Time
}

// bubble runs a test with a fake clock.
func bubble(t *testing.T, test func(*disturbed)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		t.Helper()
		d := &disturbed{T: t, status: http.StatusSeeOther, began: time.Now(), disturber: disturber{
			visits:  newVisits(),
			visitor: func(*http.Request) string { return visitor },
			creates: func(path string) bool { return path == "/things" },
		}}
		d.handler = d.disturb(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			d.handled = append(d.handled, time.Since(d.began))
			w.WriteHeader(d.status)
		}))
		test(d)
	})
}

const visitor = "the only visitor"

// post returns the duration of a request, and whether its connection was closed without an answer.
func (d *disturbed) post(path string) (took time.Duration, lost bool) {
	before := time.Now()
	defer func() { took, lost = time.Since(before), recover() != nil }()
	d.handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, path, nil))
	return 0, false
}

func (d *disturbed) ask(change func(*visit)) { d.visits.change(visitor, change) }

// TestSlowNetworkEndsByItself checks that only creates are delayed, and that nothing is delayed after a quarter of an hour.
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

// TestConnectionBreaksOnce checks that the answer to a successful create is lost, and that to a refusal is not.
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

// TestManyWhoWait checks that no more than slowAtOnce requests are delayed at once.
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
