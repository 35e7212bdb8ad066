package torture

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"onlyonce/internal/proof/proxy"
)

// Report is the result of a run.
type Report struct {
	Seed       uint64
	Clients    int
	Took       time.Duration // while faults were injected
	Intents    int
	Fates      map[string]int // of the intents: such as acknowledged, refused, unknown
	Kinds      map[string]int // of the intents
	Changes    map[string]int // stored changes and postings, by operation and outcome
	Programs   map[string]int // acknowledged to programs, by operation
	Again      int            // intents asked for again after the restore
	Moves      int            // of an email, from one user to the next
	Shared     int            // emails of several customers
	Attempts   int
	Outcomes   map[string]int // of the attempts
	Faults     map[string]int // by kind
	Outage     time.Duration  // longest time in which no client got a settling answer
	Gaps       []Gap          // the same after each fault of a cluster, in order
	Violations []Violation
	Undecided  []Violation // neither broken nor kept
	Dir        string      // path of the kept data, if there are violations or undecided checks

	histories map[int][]attempt // of the intents in violations
}

func newReport(cfg Config, intents int, seen *history, took time.Duration, c *chaos, w *world, found []Violation) *Report {
	r := &Report{
		Seed: cfg.Seed, Clients: cfg.Clients, Took: took, Intents: intents, Attempts: len(seen.attempts),
		Fates: map[string]int{}, Kinds: map[string]int{}, Changes: map[string]int{}, Outcomes: map[string]int{},
		Faults: maps.Clone(c.counts), histories: map[int][]attempt{},
	}
	r.add(found)
	for _, a := range seen.attempts {
		r.Outcomes[string(a.Outcome)]++
	}
	r.Outage = outage(seen.attempts, 0, took)
	for i, gap := range c.hits {
		end := took
		if i+1 < len(c.hits) {
			end = c.hits[i+1].from
		}
		gap.Length = outage(seen.attempts, gap.from, end)
		for tenant := range gap.Tenants {
			of := slices.DeleteFunc(slices.Clone(seen.attempts), func(a attempt) bool { return a.Tenant != tenant })
			gap.Tenants[tenant] = outage(of, gap.from, end)
		}
		r.Gaps = append(r.Gaps, gap)
	}

	grouped := seen.byIntent(intents)
	for _, attempts := range grouped {
		r.Fates[fate(attempts)]++
		if len(attempts) > 0 {
			r.Kinds[attempts[0].Kind.String()]++
		}
	}
	for _, v := range found {
		if v.Intent >= 0 {
			r.histories[v.Intent] = grouped[v.Intent]
		}
	}
	r.countCuts("client link", w.front[:])
	r.countCuts("database link", w.back[:])
	return r
}

// Gap is the longest time in which no client got a settling answer, between the beginnings of two faults.
type Gap struct {
	Fault   string
	Length  time.Duration
	Tenants [len(tokens)]time.Duration // the same for the clients of each tenant

	from time.Duration // since the start of the run
}

// outage returns the longest time between two moments in which no client got a settling answer.
func outage(attempts []attempt, from, to time.Duration) (longest time.Duration) {
	last := from
	for _, a := range attempts {
		if a.Outcome.settles() && from <= a.Done && a.Done <= to {
			longest = max(longest, a.Done-last)
			last = a.Done
		}
	}
	return max(longest, to-last)
}

// add separates violations from undecided checks.
func (r *Report) add(found []Violation) {
	for _, v := range found {
		if v.Undecided {
			r.Undecided = append(r.Undecided, v)
		} else {
			r.Violations = append(r.Violations, v)
		}
	}
}

func fate(attempts []attempt) string {
	switch {
	case len(attempts) == 0:
		return "given up before anything was sent"
	case slices.ContainsFunc(attempts, func(a attempt) bool { return a.Outcome.acknowledges() }):
		return "acknowledged"
	case slices.ContainsFunc(attempts, func(a attempt) bool { return a.Outcome == conflict || a.Outcome == barred || a.Outcome == stale }):
		return "refused"
	default:
		return "unknown"
	}
}

func (r *Report) countCuts(link string, links []*proxy.Proxy) {
	delete(r.Faults, link+" cut") // this was the number of armed cuts
	for _, p := range links {
		for point, n := range p.Cuts() {
			r.Faults[link+" cut "+point.String()] += n
		}
	}
}

func (r *Report) count(stored rows, others *programs) {
	r.Programs = others.counts
	for _, customers := range stored.byEmail {
		if len(customers) > 1 {
			r.Shared++
		}
	}
	for _, p := range stored.all {
		switch {
		case p.event.kind != "":
			r.Changes[strings.TrimSpace("event: "+p.event.kind+" "+p.event.state+" "+p.event.reason)]++
		case p.invoice != "":
			r.Changes[p.operation]++
		}
	}
	for _, s := range stored.changes {
		outcome := itUnchanged
		if s.changed {
			outcome = itChanged
		}
		r.Changes[s.operation+" "+outcome]++
	}
}

// FaultCount returns the number of injected faults.
func (r *Report) FaultCount() int { return total(r.Faults) }

// Err returns an error if a promise was broken, or a check is undecided.
func (r *Report) Err() error {
	switch {
	case len(r.Violations) > 0:
		return errors.New("promises were broken")
	case len(r.Undecided) > 0:
		return fmt.Errorf("%d histories are undecided", len(r.Undecided))
	default:
		return nil
	}
}

func total(counts map[string]int) (sum int) {
	for _, n := range counts {
		sum += n
	}
	return sum
}

// Print writes the table and, if there are violations, the first few with their histories.
func (r *Report) Print(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	line := func(name string, value any) { fmt.Fprintf(table, "%s\t%v\t\n", name, value) }
	lines := func(counts map[string]int) {
		for _, name := range ranked(counts) {
			line("  "+name, counts[name])
		}
	}
	fmt.Fprintf(out, "\nseed %d, %d clients, 2 replicas, %v\n\n", r.Seed, r.Clients, r.Took.Round(time.Millisecond))
	line("intents", r.Intents)
	lines(r.Fates)
	line("kinds of intents", len(r.Kinds))
	lines(r.Kinds)
	line("changes and postings stored", total(r.Changes))
	lines(r.Changes)
	line("acknowledged to programs", total(r.Programs))
	lines(r.Programs)
	line("emails moved", r.Moves)
	line("emails of several customers", r.Shared)
	if r.Again > 0 {
		line("intents asked for again", r.Again)
	}
	line("attempts", r.Attempts)
	lines(r.Outcomes)
	line("faults", r.FaultCount())
	lines(r.Faults)
	line("requests a second under fault", int(float64(r.Attempts)/r.Took.Seconds()))
	line("longest unavailability", r.Outage.Round(time.Millisecond))
	for _, gap := range r.Gaps {
		var each []string
		for tenant, length := range gap.Tenants {
			each = append(each, fmt.Sprintf("%v for %s", length.Round(time.Millisecond), tokens[tenant]))
		}
		line("  after "+gap.Fault, fmt.Sprintf("%v (%s)", gap.Length.Round(time.Millisecond), strings.Join(each, ", ")))
	}
	line("violations", len(r.Violations))
	line("undecided", len(r.Undecided))
	if err := table.Flush(); err != nil {
		return fmt.Errorf("print the report: %w", err)
	}
	if len(r.Violations)+len(r.Undecided) == 0 {
		return nil
	}
	if _, err := io.WriteString(out, r.violations()); err != nil {
		return fmt.Errorf("print the violations: %w", err)
	}
	return nil
}

// ranked returns the names, the most frequent first.
func ranked(counts map[string]int) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b))
	})
}

func (r *Report) violations() string {
	const most, mostAttempts = 10, 40
	var b strings.Builder
	all := slices.Concat(r.Violations, r.Undecided)
	for _, v := range all[:min(most, len(all))] {
		fmt.Fprintf(&b, "\n%v\n", v)
		attempts := r.histories[v.Intent]
		for _, a := range attempts[:min(mostAttempts, len(attempts))] {
			fmt.Fprintf(&b, "  %12v to %12v  replica %d  key %s  command %d  %s %d %s %s %.80s\n", a.Called.Round(time.Microsecond),
				a.Done.Round(time.Microsecond), a.Replica, a.Key, a.Command, a.Outcome, a.Status, a.ID, a.Number, a.Error)
		}
	}
	if len(all) > most {
		fmt.Fprintf(&b, "\nand %d more\n", len(all)-most)
	}
	if r.Dir != "" {
		fmt.Fprintf(&b, "\nseed %d; the database, the logs and the whole history are kept in %s\n", r.Seed, r.Dir)
	}
	return b.String()
}

// Broken lists the broken rules with their counts in one line, the most frequent first.
func (r *Report) Broken() string {
	counts := map[string]int{}
	for _, v := range r.Violations {
		counts[v.Rule]++
	}
	var parts []string
	for _, rule := range ranked(counts) {
		parts = append(parts, fmt.Sprintf("%d × %s", counts[rule], rule))
	}
	return strings.Join(parts, "; ")
}
