package apiverdict

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"onlyonce/internal/proof/proxy"
)

// question is what is asked of an API.
type question struct {
	name string // for not_claimed
	text string // what a right API does
	// lacks returns the field of the description that it needs and does not find, or "". Nil if it needs none.
	lacks func(*Description) string
	ask   func(*trial, context.Context) (answer, error) // an error if there is no verdict
}

// answer is what was seen.
type answer struct {
	right    bool
	evidence string
}

func questions() []question {
	return []question{
		{"key-missing", "refuses a create without a key", nil, (*trial).keyMissing},
		{"key-empty", "refuses an empty key", nil, (*trial).keyEmpty},
		{"key-long", "refuses a key of 300 characters, or knows all of it", nil, (*trial).keyLong},
		{"key-control", "refuses a key with a control character", nil, (*trial).keyControl},
		{"repeat", "answers a repeat as the first time", nil, (*trial).repeat},
		{"other-payload", "refuses another payload with the key", nil, (*trial).otherPayload},
		{"at-once", "creates one record from ten requests at once", nil, (*trial).atOnce},
		{"replicas", "does the same on two replicas", func(d *Description) string {
			return either(d.Replica == "", "replica", "")
		}, (*trial).replicas},
		{"other-account", "shows no other account the answer", func(d *Description) string {
			return either(len(d.OtherAccount) == 0, "other_account", "")
		}, (*trial).otherAccount},
		{"refused", "takes the key again after a refusal", func(d *Description) string {
			return either(len(d.Create.Invalid) == 0, "create.invalid", "")
		}, (*trial).refused},
		{"answer-lost", "creates one record when the answer is lost and the request is repeated", nil, (*trial).answerLost},
		{"restart", "answers a repeat after a restart as the first time", func(d *Description) string {
			return either(len(d.Restart) == 0, "restart", "")
		}, (*trial).restarted},
	}
}

func names() (names []string) {
	for _, q := range questions() {
		names = append(names, q.name)
	}
	return names
}

func (t *trial) keyMissing(ctx context.Context) (answer, error) {
	return t.refuses(ctx, t.send(ctx, t.Address, t.Headers, t.Create.Body))
}

func (t *trial) keyEmpty(ctx context.Context) (answer, error) {
	return t.refuses(ctx, t.send(ctx, t.Address, t.Headers, t.Create.Body, t.quoted("")))
}

func (t *trial) keyControl(ctx context.Context) (answer, error) {
	// Quoted by hand: strconv would escape it.
	key := strings.Replace(t.quoted(t.key), "-", "\x01", 1)
	r, err := t.sendRaw(ctx, key)
	if err != nil {
		return answer{}, err
	}
	if r.status == 0 { // many servers hang up on what is not HTTP
		n, err := t.count(ctx)
		return answer{n == 0, fmt.Sprintf("%s, %s", r, records(n))}, err
	}
	return t.refuses(ctx, r)
}

// refuses holds that nothing was created.
func (t *trial) refuses(ctx context.Context, r reply) (answer, error) {
	n, err := t.count(ctx)
	return answer{r.refused() && n == 0, fmt.Sprintf("%s, %s", r, records(n))}, err
}

// keyLong sends two keys that differ in their last character, each twice. Who cuts them takes them for one.
func (t *trial) keyLong(ctx context.Context) (answer, error) {
	const length = 300
	key := strings.Repeat("k", length-len(t.key)-1) + t.key
	var statuses, counts []string
	refused, known := true, true
	for n, one := range []*trial{t, t.another()} {
		one.key = fmt.Sprintf("%s%d", key, n)
		first := one.create(ctx)
		again := one.create(ctx)
		rows, err := one.count(ctx)
		if err != nil {
			return answer{}, err
		}
		statuses = append(statuses, first.String(), again.String())
		counts = append(counts, records(rows))
		refused = refused && first.refused() && again.refused() && rows == 0
		known = known && first.ok() && again.equals(first) && rows == 1
	}
	evidence := fmt.Sprintf("two such keys, each twice: %s; %s", strings.Join(statuses, ", "), strings.Join(counts, " and "))
	return answer{refused || known, evidence}, nil
}

func (t *trial) repeat(ctx context.Context) (answer, error) {
	first, err := t.first(ctx)
	if err != nil {
		return answer{}, err
	}
	return t.same(ctx, first, t.create(ctx))
}

// same holds that a second answer is the first, and that there is one record.
func (t *trial) same(ctx context.Context, first, again reply) (answer, error) {
	n, err := t.count(ctx)
	body := either(bytes.Equal(again.body, first.body), "the same body", "another body")
	replayed := ""
	for _, name := range slices.Sorted(maps.Keys(again.header)) {
		if replays.MatchString(name) && first.header[name] == nil {
			replayed = fmt.Sprintf(" with `%s: %s`", name, again.header.Get(name))
		}
	}
	return answer{again.equals(first) && n == 1, fmt.Sprintf("%s, then %s%s, %s, %s", first, again, replayed, body, records(n))}, err
}

// replays matches the names of headers that say so.
var replays = regexp.MustCompile(`(?i)idempot|replay`)

func (t *trial) otherPayload(ctx context.Context) (answer, error) {
	first, err := t.first(ctx)
	if err != nil {
		return answer{}, err
	}
	other := t.another()
	other.key = t.key
	r := other.create(ctx)
	n, err := t.count(ctx)
	if err != nil {
		return answer{}, err
	}
	more, err := other.count(ctx)
	whose := either(r.equals(first), " with the answer to the first", "")
	evidence := fmt.Sprintf("%s%s, %s of the first and %d of the other", r, whose, records(n), more)
	return answer{r.refused() && n == 1 && more == 0, evidence}, err
}

func (t *trial) atOnce(ctx context.Context) (answer, error) { return t.crowd(ctx, t.Address) }

// crowd sends ten requests at once, in several rounds, to one address after the other.
func (t *trial) crowd(ctx context.Context, addresses ...string) (answer, error) {
	const rounds, callers = 5, 10
	answers := map[string]int{} // by status
	for range rounds {
		t = t.another()
		replies := make([]reply, callers)
		gate := make(chan struct{})
		var done sync.WaitGroup
		for i := range replies {
			done.Go(func() {
				<-gate
				replies[i] = t.createAt(ctx, addresses[i%len(addresses)])
			})
		}
		close(gate)
		done.Wait()
		n, err := t.count(ctx)
		if err != nil {
			return answer{}, err
		}
		if here := tally(map[string]int{}, replies); n != 1 || !agree(replies) {
			return answer{false, fmt.Sprintf("%s, %s", records(n), shares(here))}, nil
		}
		tally(answers, replies)
	}
	return answer{true, fmt.Sprintf("%d rounds of one record, %s", rounds, shares(answers))}, nil
}

// agree reports whether all that succeeded have the same answer, one of them at least, and all others are told to wait.
func agree(replies []reply) bool {
	first := slices.IndexFunc(replies, reply.ok)
	return first >= 0 && !slices.ContainsFunc(replies, func(r reply) bool {
		return r.status != http.StatusConflict && !r.equals(replies[first])
	})
}

func tally(answers map[string]int, replies []reply) map[string]int {
	for _, r := range replies {
		answers[r.String()]++
	}
	return answers
}

func shares(answers map[string]int) string {
	var parts []string
	for _, status := range slices.Sorted(maps.Keys(answers)) {
		parts = append(parts, fmt.Sprintf("%d × %s", answers[status], status))
	}
	return strings.Join(parts, ", ")
}

func (t *trial) replicas(ctx context.Context) (answer, error) {
	first, err := t.first(ctx)
	if err != nil {
		return answer{}, err
	}
	after, err := t.same(ctx, first, t.createAt(ctx, t.Replica))
	if err != nil || !after.right {
		return answer{false, "one after the other: " + after.evidence}, err
	}
	return t.crowd(ctx, t.Address, t.Replica)
}

func (t *trial) otherAccount(ctx context.Context) (answer, error) {
	first, err := t.first(ctx)
	if err != nil {
		return answer{}, err
	}
	id, err := t.id(first)
	if err != nil {
		return answer{}, err
	}
	r := t.send(ctx, t.Address, t.OtherAccount, t.Create.Body, t.quoted(t.key))
	if r.status == http.StatusUnauthorized {
		return answer{}, errors.New("other_account was answered 401")
	}
	if r.ok() {
		other, err := t.id(r)
		whose := either(other == id, "the id of the first", "another id")
		return answer{other != id, fmt.Sprintf("%s, then %s, %s", first, r, whose)}, err
	}
	const word = 8 // bytes: a shorter id is in a body by chance
	leaks := len(id) >= word && bytes.Contains(r.body, []byte(id))
	return answer{r.refused() && !leaks, fmt.Sprintf("%s, then %s %s the id of the first", first, r, either(leaks, "with", "without"))}, nil
}

func either(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}

func (t *trial) refused(ctx context.Context) (answer, error) {
	invalid := t.send(ctx, t.Address, t.Headers, t.Create.Invalid, t.quoted(t.key))
	if !invalid.refused() {
		return answer{}, fmt.Errorf("create.invalid was answered %s, and must be refused", invalid.beginning())
	}
	r := t.create(ctx)
	n, err := t.count(ctx)
	return answer{r.ok() && n == 1, fmt.Sprintf("%s, then corrected %s, %s", invalid, r, records(n))}, err
}

// answerLost cuts the connection when the API has answered.
func (t *trial) answerLost(ctx context.Context) (answer, error) {
	address, err := url.Parse(t.Address)
	if err != nil {
		return answer{}, fmt.Errorf("read the address: %w", err)
	}
	between, err := proxy.Listen(ctx, "tcp", hostPort(address))
	if err != nil {
		return answer{}, err
	}
	defer between.Close()
	through := *t
	through.transport = t.transport.Clone()
	defer through.transport.CloseIdleConnections()
	through.transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "tcp", between.Addr())
	}
	if address.Scheme == "https" {
		// Or else the handshake would be cut. The create comes on the connection that this leaves behind.
		if r := through.another().create(ctx); !r.ok() {
			return answer{}, fmt.Errorf("the create was answered %s", r.beginning())
		}
	}
	between.Arm(proxy.Cut{Point: proxy.BeforeAnswer})
	lost := through.create(ctx)
	before, err := t.count(ctx)
	if err != nil {
		return answer{}, err
	}
	if lost.status != 0 || before == 0 {
		return answer{}, fmt.Errorf("the answer to a create was cut, which left %s and %s", records(before), lost)
	}
	again := t.create(ctx)
	n, err := t.count(ctx)
	return answer{again.ok() && n == 1, fmt.Sprintf("cut, then %s, %s", again, records(n))}, err
}

func (t *trial) restarted(ctx context.Context) (answer, error) {
	first, err := t.first(ctx)
	if err != nil {
		return answer{}, err
	}
	t.transport.CloseIdleConnections()
	if out, err := exec.CommandContext(ctx, t.Restart[0], t.Restart[1:]...).CombinedOutput(); err != nil {
		return answer{}, fmt.Errorf("restart: %w: %s", err, out)
	}
	if err := t.comesBack(ctx); err != nil {
		return answer{}, err
	}
	return t.same(ctx, first, t.create(ctx))
}

// comesBack waits until the API answers.
func (t *trial) comesBack(ctx context.Context) error {
	patience, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		r := t.another().create(patience)
		if r.ok() {
			return nil
		}
		select {
		case <-tick.C:
		case <-patience.Done():
			return fmt.Errorf("a minute after the restart a create is answered %s", r.beginning())
		}
	}
}

func records(n int) string {
	if n == 1 {
		return "1 record"
	}
	return fmt.Sprintf("%d records", n)
}
