// Package endpoint manages the endpoints of a tenant: the addresses of programs to which events are delivered. Package delivery sends them.
package endpoint

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/conflict"
	"onlyonce/internal/invalid"
	"onlyonce/internal/record"
	"onlyonce/internal/value/secretkey"
)

// Endpoint is the address of a program that receives events.
type Endpoint struct {
	record.Header

	Address string `json:"address"`
	// Operations are the beginnings of the operations whose events are delivered, with spaces between them; "" for all.
	Operations string    `json:"operations"`
	CreatedBy  string    `json:"created_by"`           // a user or a token, or "" if it is unknown
	DisabledAt time.Time `json:"disabled_at,omitzero"` // UTC; zero while it is on
	// DisabledReason is a sentence, or "" if a user switched it off.
	DisabledReason string `json:"disabled_reason,omitzero"`
	// Secret is set only in the API's answer to the request that added it, see [Secret].
	Secret string `json:"secret,omitzero" doc:"Only in the answer to the request that added it."`
}

// Table is the table of endpoints.
var Table = record.Table[Endpoint]{
	Name: "endpoints",
	Fields: `'address', r.address, 'operations', r.operations, 'created_by', r.created_by, 'disabled_at', r.disabled_at,
	'disabled_reason', NULLIF(r.disabled_reason, '')`,
}

// Names has the names of endpoints.
var Names = record.Names{Table: "endpoints", Column: "address"}

// Secret returns the secret with which the deliveries to an endpoint are signed, in the format of Standard Webhooks. It is derived from the
// key of the program, and stored nowhere.
func Secret(key secretkey.Key, tenant, endpoint uuid.UUID) string {
	return "whsec_" + base64.StdEncoding.EncodeToString(key.Derive("secret of endpoint "+tenant.String()+"/"+endpoint.String()))
}

// Input is the unchecked input.
type Input struct {
	Address    string `json:"address" doc:"To which events are sent."`
	Operations string `json:"operations,omitzero" doc:"The beginnings of their names, with spaces between them. Empty for all."`
}

// Draft is the command that adds or changes an endpoint.
type Draft struct {
	Address    string `json:"address"`
	Operations string `json:"operations,omitzero"`
}

// Server describes the endpoints that a server can deliver to.
type Server struct {
	HasKey  bool     // without a key, deliveries can't be signed
	Private bool     // whether addresses may begin with http://
	Known   []string // the names of all operations
}

// The maximum lengths, in characters.
const (
	maxAddress    = 2000
	maxOperations = 500
)

// Draft checks the input. It returns an [*invalid.Error] with all mistakes.
func (in Input) Draft(s Server) (Draft, error) {
	var problems invalid.Error
	d := Draft{
		Address:    problems.Line("/address", "the address", in.Address, maxAddress),
		Operations: problems.Line("/operations", "the operations", in.Operations, maxOperations),
	}
	at, err := url.Parse(d.Address)
	switch {
	case !s.HasKey:
		problems.Add("/address", "This server has no key to sign deliveries with. Set SECRET_KEY and restart it.")
	case err != nil, at.Hostname() == "", at.User != nil, at.Fragment != "", strings.ContainsFunc(d.Address, invisible),
		at.Scheme != "https" && (at.Scheme != "http" || !s.Private):
		problems.Add("/address", "Enter the address of the program, like https://shop.example/hooks.")
	}
	var beginnings []string
	for beginning := range strings.FieldsSeq(d.Operations) {
		if !slices.ContainsFunc(s.Known, func(name string) bool { return strings.HasPrefix(name, beginning) }) {
			problems.Add("/operations", "No operation begins with “"+beginning+"”. Enter words like customer. or customer.edit.")
		}
		beginnings = append(beginnings, beginning)
	}
	slices.Sort(beginnings)
	d.Operations = strings.Join(slices.Compact(beginnings), " ")
	return d, problems.Err()
}

// invisible reports whether a character is not visible ASCII.
func invisible(r rune) bool { return r <= ' ' || r > '~' }

// Rules returns the uniqueness rules of endpoints.
func Rules() []conflict.Rule {
	return []conflict.Rule{
		{
			Constraint: "endpoints_address_once",
			Sentence:   "One endpoint per address in each tenant, ignoring those that are off.",
			Answer:     "Refused, and the existing endpoint is kept.",
			Conflict:   &AddressTaken,
			Optional:   true,
		},
		{
			Constraint: "endpoints_slot_once",
			Sentence:   "At most 5 endpoints in each tenant, ignoring those that are off.",
			Answer:     "Refused. Nothing is changed.",
			Optional:   true,
		},
	}
}
