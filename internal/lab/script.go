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
	switch slug {
	case intent:
		return append(layer.Claim(), `
			CREATE FUNCTION rename_key() RETURNS trigger LANGUAGE plpgsql AS $$
			BEGIN
				NEW.key := gen_random_uuid();
				RETURN NEW;
			END $$`,
			`CREATE TRIGGER rename_key BEFORE INSERT ON intents FOR EACH ROW EXECUTE FUNCTION rename_key()`,
			`CREATE TRIGGER rename_key BEFORE INSERT ON intent_effects FOR EACH ROW EXECUTE FUNCTION rename_key()`)
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
	case openSignUp:
		return []string{`DROP INDEX sign_ups_open_once`, `
			CREATE OR REPLACE FUNCTION ask_sign_up(in_tenant uuid, in_id uuid, in_email text, in_mail uuid, in_link_hash bytea)
			RETURNS sign_ups LANGUAGE plpgsql AS $$
			DECLARE
				asked sign_ups;
			BEGIN
				INSERT INTO sign_ups (tenant_id, id, email) VALUES (in_tenant, in_id, in_email) RETURNING * INTO asked;
				INSERT INTO sign_up_mails (tenant_id, id, sign_up_id, link_hash) VALUES (in_tenant, in_mail, in_id, in_link_hash);
				RETURN asked;
			END $$`}
	case fileDigest:
		return []string{`DROP INDEX attachments_once`}
	case keyForLife:
		return layer.KeyForLife()
	case sameTransaction:
		return layer.SameTransaction(`true`)
	default:
		return nil
	}
}

// ownOnly restricts each transaction to the rows of a table that it has inserted.
func ownOnly(table string) string {
	return `CREATE POLICY own_only ON ` + table + ` AS RESTRICTIVE FOR SELECT USING (created_at = now())`
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
