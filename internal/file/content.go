package file

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/record"
)

// chunk is the number of bytes that a [Content] reads at once, so that a slow download doesn't hold the whole file in memory.
const chunk = 256 << 10

// Content reads the content of a stored file from the database, in parts. It isn't safe for concurrent use.
type Content struct {
	ctx    context.Context //nolint:containedctx // of the request that reads it; io.Reader has none
	pool   *pgxpool.Pool
	tenant uuid.UUID
	file   Stored

	at    int64 // of the next byte
	from  int64 // of the first byte in memory
	bytes []byte
}

// Open returns the content of a tenant's file.
func Open(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, f Stored) *Content {
	return &Content{ctx: ctx, pool: pool, tenant: tenant, file: f}
}

// Read reads the next bytes. The error is an [io.EOF] at the end of the file.
func (c *Content) Read(p []byte) (int, error) {
	if c.at >= int64(c.file.Size) {
		return 0, io.EOF
	}
	if c.at < c.from || c.at >= c.from+int64(len(c.bytes)) {
		// PostgreSQL reads only this part, because the column is stored uncompressed.
		read, err := record.One(c.ctx, c.pool, c.tenant, pgx.RowTo[[]byte], `
			SELECT substring(content FROM @from::integer FOR @length::integer) FROM file_contents
			WHERE tenant_id = @tenant_id AND digest = @digest::bytea`,
			pgx.NamedArgs{"digest": c.file.Digest(), "from": c.at + 1, "length": chunk})
		if err != nil {
			return 0, fmt.Errorf("read file: %w", err)
		}
		if len(read) == 0 {
			return 0, io.ErrUnexpectedEOF
		}
		c.from, c.bytes = c.at, read
	}
	n := copy(p, c.bytes[c.at-c.from:])
	c.at += int64(n)
	return n, nil
}

// Seek sets the place of the next byte.
func (c *Content) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += c.at
	case io.SeekEnd:
		offset += int64(c.file.Size)
	}
	if offset < 0 {
		return 0, errors.New("file: seek before the beginning")
	}
	c.at = offset
	return offset, nil
}
