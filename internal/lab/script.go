package lab

import (
	"context"
	"net/http"
	"net/url"
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
	openSignUp       = "open-sign-up"
	fileDigest       = "file-digest"
)

type script struct {
	Experiment

	noun string // for the counted records
	// amount is the cost of a record in cents; 0 without money at stake.
	amount   int64
	lanes    []lane
	replicas int      // 1 if zero
	alone    bool     // on a separate PostgreSQL server
	env      []string // of the replicas, in addition
	play     func(context.Context, *stage) error
	// counts is the SELECT of all records. marks selects their names in the same order: the mark in the answer to the attempt that
	// made each record.
	counts, marks string
}

// job is the method of a lane without a request.
const job = "job"

// lane is one attempt to be made.
type lane struct {
	who          string
	intent       int // lanes with the same intent share a key
	replica      int
	method, path string
	body         string
	seen         string     // the version that it was made from, for If-Match
	form         url.Values // sent by a browser without a login, instead of body
	unsent       bool       // stopped by the form lock
	// sign adds headers that identify the sender and the key. It is nil for a program with a token.
	sign func(header http.Header, key, body string) error
}

// remain returns the slugs of the layers that are left.
func remain(all, without []Layer) (slugs []string) {
	for _, l := range all {
		if !slices.Contains(without, l) {
			slugs = append(slugs, l.Slug)
		}
	}
	return slugs
}

// removal returns the SQL that removes a layer from a database, or nothing for a layer outside it.
func removal(slug string) []string {
	if slug == sameTransaction {
		return layer.With("same transaction", "condition", "true")
	}
	return layer.SQL(map[string][]string{
		intent: {"claim", "key"}, uniqueNumber: {"unique number"}, version: {"version"}, openAmount: {"open amount"},
		uniqueEvent: {"claim", "key", "unique event"}, paymentReference: {"payment reference"},
		uniquePeriod: {"unique period", "sight of periods"}, keyForLife: {"key for life"},
		openSignUp: {"open sign-up", "look for a sign-up"}, fileDigest: {"file digest"},
	}[slug]...)
}

// short abbreviates a key for display.
func short(key string) string { return key[:8] + "…" }

// begin returns the sides of a run before its first attempt.
func (s script) begin(o Order, without []Layer) (sides []Side, lanes [][]lane, keys [][]string) {
	given := map[int]string{} // keys by intent
	for _, gone := range [][]Layer{nil, without}[:1+min(1, len(without))] {
		side := Side{Without: gone, SQL: s.counts, Noun: s.noun}
		left := remain(s.Layers, gone)
		// With the form lock, only the clicks that the visitor's browser let through are sent.
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
				attempt.Key = "" // the server makes the key
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
