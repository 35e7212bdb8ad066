// Package apiverdict checks the handling of Idempotency-Key in a running API: see docs/verdicts/api.md. It uses only the answers,
// the number of records and the API's description.
package apiverdict
