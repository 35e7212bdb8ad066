package bench

import (
	"bytes"
	"io"
	"time"

	"golang.org/x/sys/unix"
)

// delayLine delivers what is written to it after a while, in order. Any amount may be under way, so it delays and does
// not limit.
type delayLine struct {
	parcels chan parcel
	delay   time.Duration
}

type parcel struct {
	due   time.Time
	bytes []byte
}

// Write never fails: whether the other end still listens shows later.
func (d delayLine) Write(p []byte) (int, error) {
	d.parcels <- parcel{time.Now().Add(d.delay), bytes.Clone(p)}
	return len(p), nil
}

// Close ends the line once everything is delivered.
func (d delayLine) Close() error {
	close(d.parcels)
	return nil
}

func (d delayLine) deliver(to io.Writer) {
	for p := range d.parcels {
		waitUntil(p.due)
		_, _ = to.Write(p.bytes)
	}
}

// waitUntil sleeps in the kernel, because a timer of Go's may be a whole millisecond late.
func waitUntil(due time.Time) {
	for left := time.Until(due); left > 0; left = time.Until(due) {
		timeout := unix.NsecToTimeval(left.Nanoseconds())
		_, _ = unix.Select(0, nil, nil, nil, &timeout) // a signal ends it early
	}
}
