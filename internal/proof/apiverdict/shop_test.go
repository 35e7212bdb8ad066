package apiverdict

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"unicode"
)

// The faults of a shop.
const (
	keyOptional  = "the key is optional"
	emptyIsAKey  = "an empty key is a key"
	cutsKeys     = "keys are cut"
	anyCharacter = "a key may have any character"
	noKeys       = "nothing is remembered"
	onlyStatus   = "a repeat gets another body"
	forgetsBody  = "the payload is not compared"
	createsAgain = "it creates before it looks"
	fails        = "it fails if requests come at once"
	looksFirst   = "it looks, then creates"
	ownMemory    = "each replica has its own memory"
	oneAccount   = "keys belong to nobody"
	keepsRefusal = "a refusal is kept"
	forgets      = "a restart forgets all"
)

// shop is a correct API for notes, except for one fault.
type shop struct {
	fault   string
	stopped string // path of a file whose existence marks a restart of the shop

	mu      sync.Mutex
	notes   []note
	kept    map[string]kept // by replica, account and key
	arrived map[string]int  // requests that have reached waitForOthers, by key
	changed *sync.Cond      // signals changes of arrived
}

type note struct {
	ID      string `json:"id"`
	Account string `json:"account"`
	Text    string `json:"text"`
}

type kept struct {
	status       int
	body, answer string
}

func newShop(fault, stopped string) *shop {
	s := &shop{fault: fault, stopped: stopped, kept: map[string]kept{}, arrived: map[string]int{}}
	s.changed = sync.NewCond(&s.mu)
	return s
}

func (s *shop) replica(name string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /notes", s.list)
	mux.HandleFunc("POST /notes", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		status, answer := s.create(name, r, string(body))
		w.WriteHeader(status)
		fmt.Fprint(w, answer)
	})
	return mux
}

func (s *shop) list(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := []note{}
	for _, n := range s.notes {
		if n.Account == r.Header.Get("Authorization") {
			found = append(found, n)
		}
	}
	_ = json.NewEncoder(w).Encode(map[string][]note{"notes": found}) //nolint:errchkjson // a client that is gone needs no answer
}

func (s *shop) create(replica string, r *http.Request, body string) (status int, answer string) {
	keys, account := r.Header.Values("Idempotency-Key"), r.Header.Get("Authorization")
	key := strings.Join(keys, "")
	switch {
	case account == "":
		return http.StatusUnauthorized, ""
	case s.fault == emptyIsAKey && len(keys) > 0 && key == "", s.fault == keyOptional && len(keys) == 0:
	case s.fault == cutsKeys && len(key) > 255:
		key = key[:255]
	case key == "" || len(key) > 255 || s.fault != anyCharacter && strings.ContainsFunc(key, unicode.IsControl):
		return http.StatusBadRequest, "the key"
	}
	owner := account
	if s.fault == oneAccount {
		owner = ""
	}
	if s.fault == ownMemory {
		owner += replica
	}
	return s.once(owner+" "+key, account, body)
}

func (s *shop) once(key, account, body string) (status int, answer string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fault == fails && s.waitForOthers(key, 2) > 1 {
		return http.StatusInternalServerError, "locked"
	}
	if s.fault == looksFirst {
		s.waitForOthers(key, 10)
	}
	if _, err := os.Stat(s.stopped); err == nil && s.fault == forgets {
		clear(s.kept)
		_ = os.Remove(s.stopped)
	}
	var in struct {
		Text string `json:"text"`
	}
	err := json.Unmarshal([]byte(body), &in)
	if known, ok := s.kept[key]; ok && s.fault != noKeys && s.fault != looksFirst {
		if s.fault == createsAgain {
			s.notes = append(s.notes, note{"again", account, in.Text})
		}
		switch {
		case known.body != body && s.fault != forgetsBody:
			return http.StatusUnprocessableEntity, "another payload"
		case s.fault == onlyStatus:
			return known.status, `{"id": "seen before"}`
		}
		return known.status, known.answer
	}
	if err != nil || in.Text == "" {
		if s.fault == keepsRefusal {
			s.kept[key] = kept{http.StatusUnprocessableEntity, body, "the text"}
		}
		return http.StatusUnprocessableEntity, "the text"
	}
	id := fmt.Sprintf("note %d", len(s.notes))
	s.notes = append(s.notes, note{id, account, in.Text})
	s.kept[key] = kept{http.StatusCreated, body, fmt.Sprintf(`{"id": %q}`, id)}
	return http.StatusCreated, s.kept[key].answer
}

// waitForOthers returns when n requests with the key have arrived, so that a fault shows every time. came is the request's position
// among them. The first note of all does not wait.
func (s *shop) waitForOthers(key string, n int) (came int) {
	s.arrived[key]++
	came = s.arrived[key]
	s.changed.Broadcast()
	for len(s.notes) > 0 && s.arrived[key] < n {
		s.changed.Wait()
	}
	return came
}
