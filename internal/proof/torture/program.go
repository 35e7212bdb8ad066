package torture

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// programKeys is the prefix of the keys of programs.
const programKeys = "program-"

// batchKeys is the prefix of the keys of the jobs of batches.
const batchKeys = "batch "

// programs are clients whose wishes build on each other, unlike those of [clients]: billing, merges and syncs. They send a wish to
// both replicas in turn until it is answered. They use their own records.
type programs struct {
	seed  uint64
	addrs addresses
	// strangers has the addresses for people without a tenant.
	strangers [2]string
	http      *http.Client
	// tick makes the clock look for due schedules.
	tick func(context.Context)

	reports

	asked    map[origin]bool
	answered map[origin]string   // the record that an answer has named; "" for none
	counts   map[string]int      // acknowledging answers, by operation
	alike    [][]origin          // equal wishes of a person; at most one may be fulfilled
	paid     []string            // references of payments; each must be recorded once and be the only payment of its invoice
	branded  map[string]string   // digests of logos, by the id of their invoice; "" for none
	signedUp []string            // emails whose business an answer has acknowledged
	imported map[string]imported // confirmed imports, by id
	shown    map[string]string   // the counts on the pages of imports, by id

	people [len(tokens)]*visitor // send forms
}

func newPrograms(seed uint64, w *world) *programs {
	return &programs{
		seed: seed, addrs: w.addrs, strangers: w.strangers, tick: w.tick,
		http:  &http.Client{Timeout: answerTimeout, Transport: &http.Transport{MaxIdleConnsPerHost: 32}},
		asked: map[origin]bool{}, answered: map[origin]string{}, counts: map[string]int{}, branded: map[string]string{},
		imported: map[string]imported{}, shown: map[string]string{},
	}
}

// pace is the pause of a program between two turns, which leaves time for others.
const pace = 250 * time.Millisecond

// run runs the programs of all tenants until ctx ends.
func (p *programs) run(ctx context.Context) {
	defer p.http.CloseIdleConnections()
	var all sync.WaitGroup
	for tenant := range tokens {
		all.Go(func() {
			owner := newVisitor(p.addrs[tenant], owners[tenant])
			p.follow(ctx, owner, "/login", url.Values{"email": {owner.email}, "password": {demoPassword}})
			p.people[tenant] = owner
			rounds := map[string]func(turn, context.Context){
				"bill": turn.bill, "merge": turn.merge, "sync": turn.sync, "repeat": turn.repeat, "attach": turn.attach,
				"erase": turn.erase, "brand": turn.brand, "remind": turn.remind, "write-off": turn.writeOff,
				"close": turn.close, "receive": turn.receive, "batch": turn.batch, "credit": turn.credit,
				"number": turn.number, "import": turn.importFiles,
			}
			if tenant == 0 { // this tenant has the webhook sources, and strangers are in none
				rounds["enter"], rounds["sign-up"] = turn.enter, turn.signUp
			}
			for name, round := range rounds {
				all.Go(func() {
					for n := 0; ctx.Err() == nil; n++ {
						round(turn{p, tenant, n, p.named(fmt.Sprint(name, "-", tenant), n)}, ctx)
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

// turn is a turn of a program. Its keys begin with its name.
type turn struct {
	*programs

	tenant, n int
	name      string
}

// wish is a request of a program: one operation on one path.
type wish struct {
	tenant    int
	operation string // "" to read
	key       string
	path      string
	body      map[string]any
	seen      int      // the version in If-Match; 0 for no If-Match
	refusals  []string // the allowed problem types
}

// wish returns a wish whose key has this end.
func (t turn) wish(operation, key, path string, body map[string]any, refusals ...string) wish {
	return wish{tenant: t.tenant, operation: operation, key: t.name + key, path: path, body: body, refusals: refusals}
}

// from returns the wish with the version that it starts from.
func (w wish) from(version int) wish {
	w.seen = version
	return w
}

func (w wish) origin() origin { return origin{w.tenant, w.operation, w.key} }

// reply is the answer to a wish.
type reply struct {
	ID      string `json:"id"`
	Version int    `json:"version"`
	Total   cents  `json:"total"`
	Type    string `json:"type"` // of a problem
	Repeats string `json:"possible_duplicate_of"`
	Receipt string `json:"receipt_id"` // of a credit note
	// Of a logo, and of an invoice.
	RemovedAt string `json:"removed_at"`
	Seller    struct {
		Logo struct {
			SHA256 string `json:"sha256"`
		} `json:"logo"`
	} `json:"seller"`

	answer
}

func (r reply) ok() bool { return r.status == http.StatusOK || r.status == http.StatusCreated }

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

// read reads a record.
func (t turn) read(ctx context.Context, path string, refusals ...string) reply {
	return t.send(ctx, wish{tenant: t.tenant, path: path, refusals: refusals}, t.n)
}

// send sends a wish until it is answered, beginning with one of the replicas. The reply has no status if ctx ended before.
func (p *programs) send(ctx context.Context, w wish, first int) reply {
	of := w.origin()
	p.ask(of)
	for n := 0; ctx.Err() == nil; n++ {
		seen, arrived := p.once(ctx, w, p.addrs[w.tenant][(first+n)%len(p.addrs[w.tenant])])
		problem := path.Base(seen.Type)
		switch {
		case !arrived, seen.busy(), seen.status == http.StatusConflict && problem == "in-progress":
			seen.backOff(ctx, n)
			continue
		case seen.ok():
			p.note(of, seen.ID)
		case !slices.Contains(w.refusals, problem):
			p.reportf(contract, "%s %s %s got %d %.300s",
				w.operation, w.key, w.path, seen.status, seen.text)
		}
		return seen
	}
	return reply{}
}

// once makes one attempt. It reports false for an incomplete answer.
func (p *programs) once(ctx context.Context, w wish, addr string) (seen reply, arrived bool) {
	method, body := http.MethodPost, []byte(nil)
	switch {
	case w.operation == "":
		method = http.MethodGet
	case strings.HasSuffix(w.operation, ".edit"):
		method = http.MethodPut
	}
	if w.body != nil {
		body = encode(w.body)
	}
	header := http.Header{"Authorization": {"Bearer " + tokens[w.tenant]}, "Content-Type": {"application/json"}}
	if w.operation != "" {
		header.Set("Idempotency-Key", w.key)
	}
	if w.seen != 0 {
		header.Set("If-Match", etag(w.seen))
	}
	var err error
	seen.answer, err = exchange(ctx, p.http, method, "http://"+addr+w.path, header, body)
	return seen, err == nil && json.Unmarshal(seen.text, &seen) == nil
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
	p.counts[of.operation]++
	before, known := p.answered[of]
	p.answered[of] = id
	p.mu.Unlock()
	if known && before != id {
		p.reportf("all answers to a key are equal", "%+v: %s, then %s", of, before, id)
	}
}

// judge compares the answers to the programs with the intents in the database, in both directions. The rules check that each
// intent has its record, and each record its intent.
func (p *programs) judge(ctx context.Context, conn *pgx.Conn) ([]Violation, error) {
	var clock, batches, rows int
	err := conn.QueryRow(ctx, `
		SELECT (SELECT count(*) FROM intents WHERE operation = 'schedule.bill_due' AND outcome = 'created'),
			(SELECT count(*) FROM invoice_batch_items WHERE outcome = 'done'),
			(SELECT count(*) FROM intents WHERE starts_with(key, $1) AND outcome = 'created')`, importKeys).Scan(&clock, &batches, &rows)
	if err != nil {
		return nil, fmt.Errorf("count what the clock has billed, and batches and imports have done: %w", err)
	}
	p.counts["schedule.bill by the clock"], p.counts["invoices issued or sent by batches"] = clock, batches
	p.counts["customers created by imports"] = rows
	var of origin
	var record string
	stored := map[origin]int{}
	err = each(ctx, conn, "the intents of programs", []any{&of.tenant, &of.operation, &of.key, &record}, func() {
		stored[of]++
		if id, known := p.answered[of]; known && id != "" && id != record {
			p.reportf("what was answered is what is stored", "%+v: answered with %s, stored is %s", of, id, record)
		}
		if !p.asked[of] {
			p.reportf("every record has an intent", "nobody asked for %+v", of)
		}
	}, `
		WITH `+numberedTenants+`
		SELECT n, operation, key, record_id::text FROM intents JOIN tenant USING (tenant_id) WHERE starts_with(key, $2)`,
		tokens[:], programKeys)
	if err != nil {
		return nil, err
	}
	for of := range p.answered {
		if stored[of] != 1 {
			p.reportf("an acknowledged intent has exactly one record", "%+v is stored %d times", of, stored[of])
		}
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
	wanted := map[string]map[string]int{}
	for id, of := range p.imported {
		wanted[id] = of.wanted
	}
	untrue, err := broken(ctx, conn, slices.Concat(answeredRules(), importRules()), pgx.NamedArgs{
		"paid": p.paid, "signed_up": p.signedUp, "branded": p.branded, "imported": wanted, "shown": p.shown,
	})
	return append(p.found, untrue...), err
}

// answeredRules are about what answers have told the programs.
func answeredRules() []rule {
	return []rule{
		{"what comes by two ways is recorded once", `
			SELECT format('the payment %s', reference) FROM unnest(@paid::text[]) AS of (reference)
			WHERE (
				SELECT count(*) FROM payments p JOIN payments q USING (tenant_id, invoice_id) WHERE p.reference = of.reference) <> 1`},
		{"a sign-up begins one business", `
			SELECT format('%s has none, or several', email) FROM unnest(@signed_up::text[]) AS asked (email)
			WHERE (
				SELECT count(*) FROM users u JOIN tenants t ON t.id = u.tenant_id
				WHERE u.email = asked.email AND u.role = 'owner' AND t.sign_up_id IS NOT NULL) <> 1`},
		{"an invoice has the logo of its issue", `
			SELECT format('invoice %s: %s, then %s', i.id, shown.digest, seller->'logo'->>'sha256')
			FROM jsonb_each_text(@branded) AS shown (id, digest) JOIN invoices i ON i.id = shown.id::uuid
			WHERE issued_at IS NOT NULL AND shown.digest <> COALESCE(seller->'logo'->>'sha256', '')`},
	}
}
