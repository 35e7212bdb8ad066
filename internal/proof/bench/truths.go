package bench

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// truth is a question, with the answer of each peer.
type truth struct {
	Question string
	Answers  map[string]string // by peer
}

// truths asks each peer what becomes of requests that come twice. What a request is about, the notes of the invoice tell.
func (b *bench) truths(ctx context.Context, all []*peer) ([]truth, error) {
	var found []truth
	for _, q := range []struct {
		question string
		ask      func(*trial, context.Context) (string, error)
	}{
		{"100 requests at once with one key", (*trial).crowd},
		{"the same over two processes", (*trial).twoProcesses},
		{"another body with the key", (*trial).otherBody},
		{"another tenant with the key", (*trial).otherTenant},
		{"again after the answer has expired", (*trial).afterExpiry},
		{"`kill -9` under load, and again what was not acknowledged", (*trial).killed},
	} {
		t := truth{q.question, map[string]string{}}
		for _, p := range all {
			answer, err := b.try(ctx, p, q.ask)
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", p.name, q.question, err)
			}
			b.sayf("  %s: %s: %s", q.question, p.name, answer)
			t.Answers[p.name] = answer
		}
		found = append(found, t)
	}
	return found, nil
}

// trial is one question for one peer, with its first process.
type trial struct {
	*bench
	*peer

	first *service
}

func (b *bench) try(ctx context.Context, p *peer, ask func(*trial, context.Context) (string, error)) (string, error) {
	first, err := p.start(ctx, b, p.database.url())
	if err != nil {
		return "", err
	}
	t := &trial{b, p, first}
	defer func() { t.first.stop() }()
	return ask(t, ctx)
}

// another starts one more process.
func (t *trial) another(ctx context.Context) (*service, error) {
	return t.peer.start(ctx, t.bench, t.database.url())
}

// reply is the answer to a request; status is 0 if there was none.
type reply struct {
	status int
	body   string
}

func (r reply) ok() bool { return r.status >= 200 && r.status < 300 }

// createFor asks for an invoice with a number that the peer chooses. Only what is not an answer at all is left out.
func createFor(ctx context.Context, client *http.Client, s *service, token, key, text, notes string) reply {
	body := strings.Replace(apiInvoice("", regularEmail, text), `{"number":"",`, fmt.Sprintf(`{"notes":%q,`, notes), 1)
	request, err := apiPost(ctx, s.origin+invoicesPath, key, body)
	if err != nil {
		return reply{}
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := client.Do(request)
	if err != nil {
		return reply{}
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return reply{}
	}
	return reply{response.StatusCode, string(answer)}
}

func (t *trial) crowd(ctx context.Context) (string, error) { return t.crowds(ctx, t.first) }

func (t *trial) twoProcesses(ctx context.Context) (string, error) {
	second, err := t.another(ctx)
	if err != nil {
		return "", err
	}
	defer second.stop()
	return t.crowds(ctx, t.first, second)
}

// crowds sends 100 requests at once, several times, each time with another key, and returns how many rows came of each.
func (t *trial) crowds(ctx context.Context, to ...*service) (string, error) {
	const callers = 100
	clients := make([]*http.Client, callers)
	for i := range clients {
		clients[i] = &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}, Timeout: time.Minute}
	}
	answers := map[int]int{}
	var rows []int
	for round := range 2 * t.Rounds {
		key := newKey()
		replies := make([]reply, callers)
		gate := make(chan struct{})
		var done sync.WaitGroup
		for i, client := range clients {
			done.Go(func() {
				<-gate
				replies[i] = createFor(ctx, client, to[i%len(to)], acmeToken, key, key, key)
			})
		}
		close(gate)
		done.Wait()
		if round == 0 {
			continue // which has only opened connections
		}
		for _, r := range replies {
			answers[r.status]++
		}
		n, err := t.rows(ctx, key)
		if err != nil {
			return "", err
		}
		rows = append(rows, n)
	}
	return howMany(rows) + ", answers " + shares(answers), nil
}

// rows counts the invoices with some notes, of all tenants.
func (t *trial) rows(ctx context.Context, notes string) (int, error) {
	return value[int](ctx, t.database.admin(), `SELECT count(*) FROM invoices WHERE notes = $1`, notes)
}

// howMany describes how many rows came of one key, over some rounds.
func howMany(rows []int) string {
	least, most := slices.Min(rows), slices.Max(rows)
	if least == most {
		return plural(most, "row")
	}
	return fmt.Sprintf("%d to %s", least, plural(most, "row"))
}

// shares lists how often each status was answered, in percent.
func shares(answers map[int]int) string {
	var all int
	for _, n := range answers {
		all += n
	}
	var parts []string
	for _, status := range slices.Sorted(maps.Keys(answers)) {
		name := fmt.Sprint(status)
		if status == 0 {
			name = "none"
		}
		parts = append(parts, fmt.Sprintf("%s: %.0f %%", name, 100*float64(answers[status])/float64(all)))
	}
	return strings.Join(parts, ", ")
}

func (t *trial) otherBody(ctx context.Context) (string, error) {
	key := newKey()
	one := createFor(ctx, http.DefaultClient, t.first, acmeToken, key, "one", key)
	other := createFor(ctx, http.DefaultClient, t.first, acmeToken, key, "other", key)
	return t.second(ctx, key, one, other)
}

func (t *trial) otherTenant(ctx context.Context) (string, error) {
	key := newKey()
	one := createFor(ctx, http.DefaultClient, t.first, acmeToken, key, "one", key)
	other := createFor(ctx, http.DefaultClient, t.first, globexToken, key, "one", key)
	if rows, err := t.rows(ctx, key); err == nil && rows == 2 && other.ok() && other.body != one.body {
		return fmt.Sprintf("%d, an invoice of its own", other.status), nil
	}
	return t.second(ctx, key, one, other)
}

// afterExpiry has another process answer, which remembers nothing.
func (t *trial) afterExpiry(ctx context.Context) (string, error) {
	key := newKey()
	one := createFor(ctx, http.DefaultClient, t.first, acmeToken, key, "one", key)
	if t.expire != "" {
		if err := t.database.admin().exec(ctx, t.expire); err != nil {
			return "", err
		}
	}
	t.first.stop()
	var err error
	if t.first, err = t.another(ctx); err != nil {
		return "", err
	}
	again := createFor(ctx, http.DefaultClient, t.first, acmeToken, key, "one", key)
	answer, err := t.second(ctx, key, one, again)
	if t.expire == "" && !t.forgets {
		answer += " (nothing expires)"
	}
	return answer, err
}

// second describes what became of the second of two requests with one key.
func (t *trial) second(ctx context.Context, key string, one, other reply) (string, error) {
	if !one.ok() {
		return "", fmt.Errorf("the first request was answered %d: %s", one.status, one.body)
	}
	rows, err := t.rows(ctx, key)
	if err != nil {
		return "", err
	}
	whose := ""
	if other.ok() && other.body == one.body {
		whose = " with the answer to the first"
	}
	return fmt.Sprintf("%d%s, %s", other.status, whose, plural(rows, "row")), nil
}

// killed sends requests, each with a key of its own, and kills the process in their middle. Then each that was not acknowledged
// is sent again, until it is, or for some seconds.
func (t *trial) killed(ctx context.Context) (string, error) {
	const callers = 16
	acknowledged := map[string]bool{} // by key
	for range 3 * t.Rounds {
		sent, err := t.loadUntilKilled(ctx, callers)
		if err != nil {
			return "", err
		}
		maps.Copy(acknowledged, t.insist(ctx, sent))
	}
	rows, err := value[map[string]int](ctx, t.database.admin(), `
		SELECT json_object_agg(notes, n) FROM (SELECT notes, count(*) AS n FROM invoices WHERE notes <> '' GROUP BY notes) AS counted`)
	if err != nil {
		return "", err
	}
	var twice, lost, never, unknown int
	for key, ok := range acknowledged {
		switch {
		case rows[key] > 1:
			twice++
		case ok && rows[key] == 0:
			lost++
		case !ok:
			never++
			unknown += rows[key]
		}
	}
	text := fmt.Sprintf("of %s: %d twice, %d lost", thousands(len(acknowledged)), twice, lost)
	if never > 0 {
		text += fmt.Sprintf(", %d never acknowledged, %d of them there", never, unknown)
	}
	return text, nil
}

// loadUntilKilled returns for each key whether it was acknowledged. Afterwards there is another process.
func (t *trial) loadUntilKilled(ctx context.Context, callers int) (sent map[string]bool, err error) {
	const least = 100 // answers, before the end comes
	sent = map[string]bool{}
	var mu sync.Mutex
	var all sync.WaitGroup
	running := t.first
	dead := make(chan struct{})
	last := least + rand.IntN(least) //nolint:gosec // any moment will do
	var once sync.Once
	for range callers {
		all.Go(func() {
			client := &http.Client{Transport: &http.Transport{}, Timeout: 10 * time.Second}
			for {
				select {
				case <-dead:
					return
				default:
				}
				key := newKey()
				ok := createFor(ctx, client, running, acmeToken, key, key, key).ok()
				mu.Lock()
				sent[key] = ok
				enough := len(sent) >= last
				mu.Unlock()
				if enough {
					once.Do(func() { close(dead); running.kill() })
				}
			}
		})
	}
	all.Wait()
	t.first, err = t.another(ctx)
	return sent, err
}

// insist repeats at once what was not acknowledged, each until it is, or for some seconds.
func (t *trial) insist(ctx context.Context, sent map[string]bool) map[string]bool {
	patience, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	var mu sync.Mutex
	var all sync.WaitGroup
	acknowledged := maps.Clone(sent)
	for key, ok := range sent {
		if ok {
			continue
		}
		all.Go(func() {
			ok := t.repeat(patience, key)
			mu.Lock()
			defer mu.Unlock()
			acknowledged[key] = ok
		})
	}
	all.Wait()
	return acknowledged
}

// repeat reports whether a request succeeded before ctx was done.
func (t *trial) repeat(ctx context.Context, key string) bool {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		if createFor(ctx, http.DefaultClient, t.first, acmeToken, key, key, key).ok() {
			return true
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false
		}
	}
}
