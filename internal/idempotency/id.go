package idempotency

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/google/uuid"
)

// ID returns the n-th id for the rows that the intent creates, a UUIDv7. It is the same each time the work is run. If the intent creates
// a record, its id is number 0; the others are for further rows.
func (i Intent) ID(n uint64) uuid.UUID { return idOf(i.attempt, n) }

// ID is [Intent.ID] of the transaction's intent.
func (tx *Tx) ID(n uint64) uuid.UUID { return idOf(tx.attempt, n) }

// idOf keeps the time of the attempt's id, so that new ids are close together in an index (RFC 9562, section 5.7), and derives the rest.
func idOf(attempt uuid.UUID, n uint64) uuid.UUID {
	if n == 0 {
		return attempt
	}
	derived := sha256.Sum256(binary.BigEndian.AppendUint64(attempt[:], n))
	id := attempt
	copy(id[6:], derived[:])
	id[6] = id[6]&0x0f | 0x70 // version 7
	id[8] = id[8]&0x3f | 0x80 // the variant of RFC 9562
	return id
}
