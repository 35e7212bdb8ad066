package shared

import (
	"bytes"
	"errors"
	"net"
	"strconv"
)

// Limits of a reply. go-redis allocates the length that a reply announces.
const (
	maxLine   = 4 << 10 // bytes, of a reply without a length, such as an error
	maxBulk   = 4 << 20 // bytes, of a value
	maxLength = 1 << 10 // elements, of an array
	maxDepth  = 4       // of arrays in arrays
)

// errReply means that the server does not use Redis's protocol, or that its reply exceeds this package's limits.
var errReply = errors.New("not a reply of Redis")

// bounded is a connection to Redis that fails with errReply if a reply exceeds the limits.
type bounded struct {
	net.Conn

	line []byte // the part of an incomplete line that was read
	skip int    // bytes of a value left to read
	open []int  // elements left of each incomplete array, the outermost first
}

func (c *bounded) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	for rest := p[:n]; len(rest) > 0; {
		if c.skip > 0 {
			skipped := min(c.skip, len(rest))
			rest, c.skip = rest[skipped:], c.skip-skipped
			continue
		}
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		if c.line = append(c.line, line...); len(c.line) > maxLine {
			return 0, errReply
		}
		if ended && !c.begin() {
			return 0, errReply
		}
		rest = after
	}
	return n, err //nolint:wrapcheck // io.EOF must not be wrapped
}

// begin parses the first line of a reply or of its element, and reports whether it is within the limits.
func (c *bounded) begin() bool {
	line := bytes.TrimSuffix(c.line, []byte("\r"))
	c.line = c.line[:0]
	if len(line) == 0 {
		return false
	}
	length, err := strconv.Atoi(string(line[1:]))
	switch line[0] {
	case '+', '-', ':':
	case '$':
		if err != nil || length > maxBulk {
			return false
		}
		if length >= 0 { // -1 is no value
			c.skip = length + len("\r\n")
		}
	case '*':
		if err != nil || length > maxLength || len(c.open) == maxDepth {
			return false
		}
		if length > 0 {
			c.open = append(c.open, length)
			return true
		}
	default:
		return false
	}
	for last := len(c.open) - 1; last >= 0; last-- {
		if c.open[last]--; c.open[last] > 0 {
			break
		}
		c.open = c.open[:last]
	}
	return true
}
