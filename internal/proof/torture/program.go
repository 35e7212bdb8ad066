package torture

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// programKeys is the prefix of the keys of programs.
const programKeys = "program-"

// programs are clients whose wishes build on each other, unlike those of [clients]: billing, merges and syncs. They send a wish to
// both replicas in turn until it is answered. They use their own records.
type programs struct {
	seed  uint64
	addrs addresses
	http  *http.Client
	// tick makes the clock look for due schedules.
	tick func(context.Context)

	mu       sync.Mutex
	asked    map[origin]bool
	answered map[origin]string // the record that an answer has named; "" for none
	counts   map[string]int    // acknowledging answers, by operation
	alike    [][]origin        // equal wishes of a person; at most one may be fulfilled
	paid     []string          // references of payments; each must be recorded once and be the only payment of its invoice
	branded  map[string]string // digests of logos, by the id of their invoice; "" for none
	signedUp []string          // emails whose business an answer has acknowledged
	found    []Violation

	people [len(tokens)]*visitor // send forms
}

func newPrograms(seed uint64, addrs addresses, tick func(context.Context)) *programs {
	return &programs{
		seed: seed, addrs: addrs, tick: tick,
		http:  &http.Client{Timeout: answerTimeout, Transport: &http.Transport{MaxIdleConnsPerHost: 32}},
		asked: map[origin]bool{}, answered: map[origin]string{}, counts: map[string]int{}, branded: map[string]string{},
	}
}

// pace is the pause of a program between two rounds, which leaves time for others.
const pace = 250 * time.Millisecond

// run runs the programs of all tenants until ctx ends.
func (p *programs) run(ctx context.Context) {
	defer p.http.CloseIdleConnections()
	var all sync.WaitGroup
	for tenant := range tokens {
		all.Go(func() {
			p.people[tenant] = p.logIn(ctx, tenant)
			rounds := []func(context.Context, int, int){p.bill, p.merge, p.sync, p.repeat, p.attach, p.erase, p.brand, p.remind, p.writeOff}
			if tenant == 0 { // this tenant has the webhook sources, and strangers are in none
				rounds = append(rounds, p.enter, p.signUp)
			}
			for _, round := range rounds {
				all.Go(func() {
					for n := 0; ctx.Err() == nil; n++ {
						round(ctx, tenant, n)
						Pause(ctx, pace)
					}
				})
			}
		})
	}
	all.Go(func() {
		for ctx.Err() == nil {
			p.tick(ctx)
			Pause(ctx, time.Second)
		}
	})
	all.Wait()
}

// wish is a request of a program: one operation on one path.
type wish struct {
	tenant    int
	operation string // "" to read
	key       string
	method    string // "" for POST
	path      string
	body      map[string]any
	seen      int      // the version in If-Match; 0 for no If-Match
	refusals  []string // the allowed problem types
}

func (w wish) origin() origin { return origin{w.tenant, w.operation, w.key} }

// reply is the answer to a wish.
type reply struct {
	ID      string `json:"id"`
	Version int    `json:"version"`
	Total   cents  `json:"total"`
	Type    string `json:"type"` // of a problem
	Repeats string `json:"possible_duplicate_of"`
	// Of a logo, and of an invoice.
	RemovedAt string `json:"removed_at"`
	Seller    struct {
		Logo struct {
			SHA256 string `json:"sha256"`
		} `json:"logo"`
	} `json:"seller"`

	status int
	header http.Header
	text   []byte
}

func (r reply) ok() bool { return r.status == http.StatusOK || r.status == http.StatusCreated }

// named returns the key for a round of a program.
func (p *programs) named(of string, n int) string {
	return fmt.Sprintf("%s%s-%d-%d", programKeys, of, p.seed, n)
}

// atOnce calls all functions concurrently.
func atOnce(all ...func()) {
	var running sync.WaitGroup
	for _, f := range all {
		running.Go(f)
	}
	running.Wait()
}

// twice sends a wish from two senders at once, and returns the answer to the second.
func (p *programs) twice(ctx context.Context, w wish) (second reply) {
	atOnce(func() { p.send(ctx, w, 0) }, func() { second = p.send(ctx, w, 1) })
	return second
}

// send sends a wish until it is answered, beginning with one of the replicas. The reply has no status if ctx ended before.
func (p *programs) send(ctx context.Context, w wish, first int) reply {
	of := w.origin()
	p.ask(of)
	for n := 0; ctx.Err() == nil; n++ {
		seen, arrived := p.once(ctx, w, p.addrs[w.tenant][(first+n)%len(p.addrs[w.tenant])])
		problem := path.Base(seen.Type)
		switch {
		case !arrived, seen.status == http.StatusTooManyRequests, seen.status == http.StatusServiceUnavailable,
			seen.status == http.StatusConflict && problem == "in-progress":
			seconds, _ := strconv.Atoi(seen.header.Get("Retry-After")) // 0 if missing
			Pause(ctx, max(time.Duration(seconds)*time.Second, time.Duration(min(n, 10))*25*time.Millisecond))
			continue
		case seen.ok():
			p.note(of, seen.ID)
		case !slices.Contains(w.refusals, problem):
			p.reportf("every answer is one that the contract knows", "%s %s %s got %d %.300s",
				w.operation, w.key, w.path, seen.status, seen.text)
		}
		return seen
	}
	return reply{}
}

// once makes one attempt. It reports false for an incomplete answer.
func (p *programs) once(ctx context.Context, w wish, addr string) (seen reply, arrived bool) {
	body := io.Reader(http.NoBody)
	if w.body != nil {
		body = io.NopCloser(bytes.NewReader(encode(w.body))) // not sent again by the transport
	}
	method := w.method
	if method == "" {
		method = http.MethodPost
	}
	request, err := http.NewRequestWithContext(ctx, method, "http://"+addr+w.path, body)
	if err != nil {
		return seen, false
	}
	request.Header.Set("Authorization", "Bearer "+tokens[w.tenant])
	request.Header.Set("Content-Type", "application/json")
	if w.key != "" {
		request.Header.Set("Idempotency-Key", w.key)
	}
	if w.seen != 0 {
		request.Header.Set("If-Match", etag(w.seen))
	}
	response, err := p.http.Do(request)
	if err != nil {
		return seen, false
	}
	defer response.Body.Close()
	seen.status, seen.header = response.StatusCode, response.Header
	if seen.text, err = io.ReadAll(response.Body); err != nil {
		return seen, false
	}
	return seen, json.Unmarshal(seen.text, &seen) == nil
}

// ask records that a wish is sent.
func (p *programs) ask(of origin) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked[of] = true
}

// note records that an answer has acknowledged a wish.
func (p *programs) note(of origin, id string) {
	if of.operation == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counts[of.operation]++
	before, known := p.answered[of]
	p.answered[of] = id
	if known && before != id {
		p.found = append(p.found, Violation{
			Rule: "all answers to a key are equal", Detail: fmt.Sprintf("%+v: %s, then %s", of, before, id), Intent: -1,
		})
	}
}

func (p *programs) reportf(rule, format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.found = append(p.found, Violation{Rule: rule, Detail: fmt.Sprintf(format, args...), Intent: -1})
}

// judge compares the answers to the programs with the intents in the database, in both directions. The [rules] check that each
// intent has its record, and each record its intent.
func (p *programs) judge(ctx context.Context, conn *pgx.Conn) ([]Violation, error) {
	var clock int
	err := conn.QueryRow(ctx, `
		SELECT count(*) FROM intents WHERE operation = 'schedule.bill_due' AND outcome = 'created'`).Scan(&clock)
	if err != nil {
		return nil, fmt.Errorf("count what the clock has billed: %w", err)
	}
	p.counts["schedule.bill by the clock"] = clock
	result, err := conn.Query(ctx, `
		WITH `+numberedTenants+`
		SELECT n, operation, key, record_id::text FROM intents JOIN tenant USING (tenant_id) WHERE starts_with(key, $2)`,
		tokens[:], programKeys)
	if err != nil {
		return nil, fmt.Errorf("read the intents of programs: %w", err)
	}
	var of origin
	var record string
	stored := map[origin]int{}
	_, err = pgx.ForEachRow(result, []any{&of.tenant, &of.operation, &of.key, &record}, func() error {
		stored[of]++
		if id, known := p.answered[of]; known && id != "" && id != record {
			p.reportf("what was answered is what is stored", "%+v: answered with %s, stored is %s", of, id, record)
		}
		if !p.asked[of] {
			p.reportf("every record has an intent", "nobody asked for %+v", of)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the intents of programs: %w", err)
	}
	for of := range p.answered {
		if stored[of] != 1 {
			p.reportf("an acknowledged intent has exactly one record", "%+v is stored %d times", of, stored[of])
		}
	}
	wrong, err := conn.Query(ctx, `
		SELECT reference FROM unnest($1::text[]) AS of (reference)
		WHERE (
			SELECT count(*) FROM payments p JOIN payments q USING (tenant_id, invoice_id) WHERE p.reference = of.reference) <> 1`, p.paid)
	if err != nil {
		return nil, fmt.Errorf("read the payments of events: %w", err)
	}
	if _, err = pgx.ForEachRow(wrong, []any{&record}, func() error {
		p.reportf("what comes by two ways is recorded once", "the payment %s", record)
		return nil
	}); err != nil {
		return nil, fmt.Errorf("read the payments of events: %w", err)
	}
	if err := errors.Join(p.judgeSignUps(ctx, conn), p.judgeLogos(ctx, conn)); err != nil {
		return nil, err
	}
	for _, wishes := range p.alike {
		made := 0
		for _, of := range wishes {
			made += stored[of]
		}
		if made > 1 {
			p.reportf("what a person is asked about is created only if it is meant", "%d of %+v are stored", made, wishes)
		}
	}
	return p.found, nil
}
