// Package apiverdict asks an API that somebody runs what becomes of requests with an Idempotency-Key: see docs/verdicts/api.md. It looks
// at the answers and counts the records, and knows nothing else of the API than its description.
package apiverdict
