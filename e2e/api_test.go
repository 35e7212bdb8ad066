package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"onlyonce/internal/must"
)

// Requests to the API, as a program sends them.

// post sends a command to the API under a key of this session, and returns the path of the created record's page.
func (s *session) post(path, key string, command any) string {
	s.t.Helper()
	response := s.ask(http.MethodPost, path, s.mark+" "+key, command)
	must.Thatf(s.t, response.StatusCode/100 == 2, "POST %s: %s", path, response.Status)
	_, page, _ := strings.Cut(response.Header.Get("Location"), "/api/v1")
	return page
}

// get reads the answer of the API at a path.
func (s *session) get(path string, into any) {
	s.t.Helper()
	response := s.ask(http.MethodGet, path, "", nil)
	must.Thatf(s.t, response.StatusCode == http.StatusOK, "GET %s: %s", path, response.Status)
	s.check(json.NewDecoder(response.Body).Decode(into), "read "+path)
}

// ask sends a request directly, not through a proxy, and returns the complete answer.
func (s *session) ask(method, path, key string, command any) *http.Response {
	s.t.Helper()
	body, err := json.Marshal(command)
	s.check(err, "write the request")
	// Not the test's context, which is done when the test's records are removed.
	request, err := http.NewRequestWithContext(context.Background(), method, s.site+"/api/v1"+path, bytes.NewReader(body))
	s.check(err, "make the request")
	request.Header.Set("Authorization", "Bearer "+s.token)
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Idempotency-Key", key)
	}
	response, err := (&http.Client{Timeout: patience}).Do(request)
	s.check(err, "ask the API")
	defer response.Body.Close()
	whole, err := io.ReadAll(response.Body)
	s.check(err, "read the answer of the API")
	response.Body = io.NopCloser(bytes.NewReader(whole))
	return response
}

// found is a record in a list of the API.
type found struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Number  string `json:"number"`
	Status  string `json:"status"`
	Version int    `json:"version"`
	Amount  string `json:"amount"`
	Total   string `json:"total"`
}

// all reads all pages of a list.
func (s *session) all(path, rows string, query url.Values) (all []found) {
	s.t.Helper()
	query.Set("limit", "100")
	for {
		page := map[string]json.RawMessage{}
		s.get(path+"?"+query.Encode(), &page)
		var some []found
		s.check(json.Unmarshal(page[rows], &some), "read the rows of "+path)
		all = append(all, some...)
		var next string
		if _ = json.Unmarshal(page["next_cursor"], &next); next == "" {
			return all
		}
		query.Set("cursor", next)
	}
}

// marked returns the records of this session: invoices, or customers including archived ones.
func (s *session) marked(many string) []found {
	s.t.Helper()
	all := s.all("/"+many, many, url.Values{"q": {s.mark}})
	if many == "customers" {
		all = append(all, s.all("/customers", many, url.Values{"q": {s.mark}, "archived": {"1"}})...)
	}
	return all
}

// apiRecords reads the records of a deployment from its API.
type apiRecords struct{ s *session }

func (r apiRecords) customerChanges() (operations []string, versions int) {
	r.s.t.Helper()
	var all []event
	for _, customer := range r.s.marked("customers") {
		versions += customer.Version - 1
		all = append(all, r.changes("/customers/"+customer.ID)...)
	}
	return inOrder(all), versions
}

// event is an entry in the history of a record.
type event struct {
	At        time.Time `json:"at"`
	Operation string    `json:"operation"`
	What      string    `json:"what"`
}

// changes returns the events that changed a record, newest first.
func (r apiRecords) changes(path string) (changes []event) {
	r.s.t.Helper()
	var page struct{ Events []event }
	r.s.get(path+"/events?limit=100", &page)
	return slices.DeleteFunc(page.Events, func(e event) bool { return e.What != "changed" })
}

func inOrder(events []event) (operations []string) {
	slices.SortStableFunc(events, func(a, b event) int { return a.At.Compare(b.At) })
	for _, e := range events {
		operations = append(operations, e.Operation)
	}
	return operations
}
