package lab

import (
	"context"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"onlyonce/internal/proof/layer"
)

// The slugs of the layers.
const (
	formLock         = "form-lock"
	intent           = "intent"
	oneKey           = "one-key"
	uniqueNumber     = "unique-number"
	version          = "version"
	openAmount       = "open-amount"
	uniqueEvent      = "unique-event"
	paymentReference = "payment-reference"
	uniquePeriod     = "unique-period"
	keyForLife       = "key-for-life"
	sameTransaction  = "same-transaction"
)

// script is an experiment and how it is carried out.
type script struct {
	Experiment

	noun string // of what is counted
	// amount is what one of them costs, in cents; 0 where no money is at stake.
	amount   int64
	lanes    []lane
	replicas int      // 1 if it does not say
	alone    bool     // on a PostgreSQL of its own
	env      []string // of the replicas, besides
	play     func(context.Context, *stage) error
	// counts is the SELECT of all the records there are, and marks one that names them in the same order: what an answer
	// that made one says of itself.
	counts, marks string
}

// job is the method of a lane that no request makes.
const job = "job"

// lane is what one attempt sends.
type lane struct {
	who          string
	intent       int // lanes of one intent share its key
	replica      int
	method, path string
	body         string
	seen         string // the version that it was made from: If-Match
	unsent       bool   // the form lock stops it
	// sign writes into the header who sends it, under which key; nil for a program with a token.
	sign func(header http.Header, key, body string) error
}

// remain are the slugs of the layers that are not taken away.
func remain(all, without []Layer) (slugs []string) {
	for _, l := range all {
		if !slices.Contains(without, l) {
			slugs = append(slugs, l.Slug)
		}
	}
	return slugs
}

// removal is the SQL that takes a layer out of a database; none for those that are not in it.
func removal(slug string) []string {
	switch slug {
	case intent:
		return append(layer.Claim(), `
			CREATE FUNCTION rename_key() RETURNS trigger LANGUAGE plpgsql AS $$
			BEGIN
				NEW.key := gen_random_uuid();
				RETURN NEW;
			END $$`,
			`CREATE TRIGGER rename_key BEFORE INSERT ON intents FOR EACH ROW EXECUTE FUNCTION rename_key()`)
	case uniqueNumber:
		return layer.UniqueNumber()
	case version:
		return layer.Version()
	case openAmount:
		return layer.OpenAmount()
	case uniqueEvent:
		return append(removal(intent), `DROP INDEX webhook_events_once`)
	case paymentReference:
		return []string{`DROP INDEX payments_reference_once`, ownOnly("payments")}
	case uniquePeriod:
		return []string{`ALTER TABLE schedule_periods DROP CONSTRAINT schedule_periods_once`, ownOnly("schedule_periods")}
	case keyForLife:
		return layer.KeyForLife()
	case sameTransaction:
		return layer.SameTransaction(`true`)
	default:
		return nil
	}
}

// ownOnly has each transaction see only those rows of a table that it has inserted itself.
func ownOnly(table string) string {
	return `CREATE POLICY own_only ON ` + table + ` AS RESTRICTIVE FOR SELECT USING (created_at = now())`
}

// The layers as visitors read of them.
var (
	formLockLayer = Layer{formLock, "the form lock", "The script that lets a form be sent only once does not run, as in a browser " +
		"without JavaScript."}
	intentLayer = Layer{intent, "the intent", "The database does not recognise a key that it has seen before. Each request comes from " +
		"a program of its own, so that the server does not recognise it either."}
	oneKeyLayer = Layer{oneKey, "the kept key", "The sender makes a new key for each attempt, " +
		"instead of keeping the first one."}
)

// short is a key as it is shown.
func short(key string) string { return key[:8] + "…" }

// begin returns the sides of a run before anything has happened.
func (s script) begin(o Order, without []Layer) (sides []Side, lanes [][]lane, keys [][]string) {
	given := map[int]string{} // keys by intent
	for _, gone := range [][]Layer{nil, without}[:1+min(1, len(without))] {
		side := Side{Without: gone, SQL: s.counts, Noun: s.noun}
		left := remain(s.Layers, gone)
		// With the form lock, as many clicks are sent as the visitor's browser let through.
		locked := slices.Contains(left, formLock) && o.Sent > 0
		var own []lane
		var sent []string
		for n, l := range s.lanes {
			l.unsent = locked && n >= o.Sent
			key := given[l.intent]
			if key == "" || slices.Contains(remain(gone, nil), oneKey) {
				key = uuid.NewString()
			}
			if given[l.intent] == "" {
				given[l.intent] = key
			}
			attempt := Attempt{N: n + 1, Who: l.who, Key: short(key), Request: l.method + " " + l.path}
			if l.method == job {
				attempt.Key = "" // the server makes it
			}
			if l.unsent {
				attempt.Key, attempt.Outcome, attempt.Met, attempt.Done = "", NotSent, []string{formLock}, true
				attempt.Says = "Nothing was sent: the first click already sent the form."
			}
			side.Attempts = append(side.Attempts, attempt)
			own, sent = append(own, l), append(sent, key)
		}
		sides, lanes, keys = append(sides, side), append(lanes, own), append(keys, sent)
	}
	return sides, lanes, keys
}
