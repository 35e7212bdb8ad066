package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/proof/proxy"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// bundle is two processes of the program, which share only a database.
type bundle struct {
	*testing.T

	servers [2]*httptest.Server
	admin   *pgxpool.Pool
}

// setup creates a schema for the program alone, without the tables of Onlyonce.
func setup(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	db := pgtest.New(t)
	db.Spoil(t)
	must.Exec(t, db.Pool, `CREATE SCHEMA alone`)
	b := &bundle{T: t, admin: db.Admin()}
	for i := range b.servers {
		store, err := open(t.Context(), db.URL+"&search_path=alone")
		must.OK(t, err)
		t.Cleanup(store.Pool.Close)
		b.servers[i] = httptest.NewServer(routes(store))
		t.Cleanup(b.servers[i].Close)
	}
	return b
}

// answer is an answer as its client sees it.
type answer struct {
	status   int
	id       string // of the note
	replayed bool
	body     string
}

func (b *bundle) form(at, key, title string) answer {
	b.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.PostForm(at, url.Values{"key": {key}, "title": {title}})
	if err != nil {
		b.Error(err)
		return answer{}
	}
	_, id, _ := strings.Cut(response.Header.Get("Location"), "saved=")
	return answer{status: response.StatusCode, id: id, body: b.read(response)}
}

// json sends the same command to the JSON route.
func (b *bundle) json(at, key, title string) (answer, error) {
	b.Helper()
	command, err := json.Marshal(map[string]string{"title": title})
	must.OK(b, err)
	// A reader of unknown type, so that net/http cannot send the body a second time.
	r, err := http.NewRequestWithContext(b.Context(), http.MethodPost, at+"/notes", io.MultiReader(bytes.NewReader(command)))
	must.OK(b, err)
	r.Header.Set("Idempotency-Key", key)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return answer{}, err
	}
	a := answer{status: response.StatusCode, replayed: response.Header.Get("Idempotent-Replayed") == "true", body: b.read(response)}
	var n note
	if json.Unmarshal([]byte(a.body), &n) == nil {
		a.id = n.ID.String()
	}
	return a, nil
}

func (b *bundle) read(response *http.Response) string {
	b.Helper()
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	assert.Thatf(b, err == nil, "%v", err)
	return string(body)
}

// count counts notes, bypassing row-level security. Each note must have its intent, and each intent its note.
func (b *bundle) count(want int) {
	b.Helper()
	var notes, both, either int
	err := b.admin.QueryRow(b.Context(), `
		SELECT count(n.id), count(*) FILTER (WHERE n.id = i.record_id), count(*)
		FROM alone.notes n FULL JOIN alone.intents i ON (n.tenant_id, n.id) = (i.tenant_id, i.record_id)`,
	).Scan(&notes, &both, &either)
	assert.Thatf(b, err == nil && notes == want && both == want && either == want,
		"%d notes, %d with an intent, %d of either; want %d of each (%v)", notes, both, either, want, err)
}

func TestFiftyAtOnce(t *testing.T) {
	b := setup(t)
	const crowd = 50
	var answers [crowd]answer
	gate := make(chan struct{})
	var all sync.WaitGroup
	for i := range crowd {
		all.Go(func() {
			<-gate
			at := b.servers[i%2].URL
			if i%4 < 2 {
				answers[i] = b.form(at, "one key", "Call Ada")
				return
			}
			var err error
			if answers[i], err = b.json(at, `"one key"`, "Call Ada"); err != nil {
				t.Error(err)
			}
		})
	}
	close(gate)
	all.Wait()
	b.count(1)
	first, body := answers[0], answers[2].body
	for i, a := range answers {
		asForm := i%4 < 2
		if a.id != first.id || asForm && a.status != http.StatusSeeOther || !asForm && (a.status != http.StatusCreated || a.body != body) {
			t.Errorf("answer %d: %+v, want that of %s", i, a, first.id)
		}
	}
	if _, err := uuid.Parse(first.id); err != nil {
		t.Errorf("id: %v", err)
	}
}

func TestMismatch(t *testing.T) {
	b := setup(t)
	first := b.form(b.servers[0].URL, "k", "Call Ada")
	other := b.form(b.servers[0].URL, "k", "Call Bob & Eve")
	asJSON, err := b.json(b.servers[1].URL, "k", "Call Bob & Eve")
	assert.Thatf(t, err == nil && first.status == http.StatusSeeOther && other.status == http.StatusUnprocessableEntity &&
		asJSON.status == http.StatusUnprocessableEntity && strings.Contains(asJSON.body, first.id),
		"%+v, then %+v and %+v, %v", first, other, asJSON, err)
	assert.Thatf(t, strings.Contains(other.body, "Call Bob &amp; Eve"), "the typed text is gone: %s", other.body)
	b.count(1)
}

func TestLostAnswer(t *testing.T) {
	b := setup(t)
	wire, err := proxy.Listen(t.Context(), "tcp", b.servers[0].Listener.Addr().String())
	must.OK(t, err)
	defer wire.Close()
	wire.Arm(proxy.Cut{Point: proxy.BeforeAnswer})
	if a, err := b.json("http://"+wire.Addr(), "k", "Call Ada"); err == nil {
		t.Fatalf("the answer came: %+v", a)
	}
	b.count(1)
	again, err := b.json("http://"+wire.Addr(), "k", "Call Ada")
	assert.Thatf(t, err == nil && again.status == http.StatusCreated && again.replayed, "%+v, %v", again, err)
	b.count(1)
}

// TestLateRetry checks that a retry after the result has expired returns the note.
func TestLateRetry(t *testing.T) {
	b := setup(t)
	first, err := b.json(b.servers[0].URL, "k", "Call Ada")
	must.OK(t, err)
	must.Exec(t, b.admin, `UPDATE alone.intents SET result = NULL`)
	late, err := b.json(b.servers[1].URL, "k", "Call Ada")
	assert.Thatf(t, err == nil && late.status == http.StatusCreated && late.replayed && late.id == first.id, "%+v, %v", late, err)
	b.count(1)
}

func TestRefused(t *testing.T) {
	b := setup(t)
	at := b.servers[0].URL
	for _, c := range []struct {
		key, title string
		want       int
	}{
		{"k", "", http.StatusUnprocessableEntity},
		{"", "Call Ada", http.StatusBadRequest},
		{strings.Repeat("k", idempotency.MaxKeyLength+1), "Call Ada", http.StatusBadRequest},
	} {
		asForm := b.form(at, c.key, c.title)
		asJSON, err := b.json(at, c.key, c.title)
		assert.Thatf(t, err == nil && asForm.status == c.want && asJSON.status == c.want && strings.Contains(asForm.body, c.title),
			"%.10q, %q: %+v, %+v, %v", c.key, c.title, asForm, asJSON, err)
	}
	b.count(0)
}

// TestShort checks that the program stays short enough to read at once.
func TestShort(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("main.go")
	lines := bytes.Count(source, []byte("\n"))
	assert.Thatf(t, err == nil && lines <= 150, "%d lines (%v), at most 150 are wanted", lines, err)
}
