package attempt

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/idempotency"
)

const (
	// queued is how many attempts wait in memory to be written, at most: about a megabyte of them.
	queued = 5000
	// batchRows is how many are written at once, at most, and gathering how long the first of them waits for others. So a process
	// writes at most 2,000 a second: a flood of repeats must not become one for the database.
	batchRows = 1000
	gathering = 500 * time.Millisecond
	// writing bounds one write.
	writing = 5 * time.Second
)

// Config is what a [Recorder] needs.
type Config struct {
	Pool *pgxpool.Pool
	Log  *slog.Logger
	// Replica names this process.
	Replica string
	// Reason names the problem that an error is. It must tell nothing of what was typed.
	Reason func(error) string
}

// Recorder keeps attempts. The caller must Close it.
type Recorder struct {
	config  Config
	queue   chan row
	closing <-chan struct{}
	close   context.CancelFunc
	closed  chan struct{} // nothing is written any more
	giveUp  context.CancelFunc

	kept, dropped, took atomic.Int64
}

// Start begins to keep attempts.
func Start(c Config) *Recorder {
	ctx, giveUp := context.WithCancel(context.Background())
	closing, closeIt := context.WithCancel(context.Background())
	r := &Recorder{
		config: c, queue: make(chan row, queued), closing: closing.Done(), close: closeIt, closed: make(chan struct{}), giveUp: giveUp,
	}
	go r.run(ctx)
	return r
}

// Observe notes an attempt that has ended just now. It never waits: without room in the queue the attempt is dropped.
func (r *Recorder) Observe(a idempotency.Attempt) {
	id, err := uuid.NewV7()
	if err != nil {
		r.dropped.Add(1)
		return
	}
	select {
	case r.queue <- r.row(id, a):
	default:
		r.dropped.Add(1)
	}
}

// Close writes what is queued, until ctx is done. What is observed from then on is lost.
func (r *Recorder) Close(ctx context.Context) {
	r.close()
	defer context.AfterFunc(ctx, r.giveUp)()
	<-r.closed
	r.giveUp()
}

// Kept is how many attempts were written, and Dropped how many were not.
func (r *Recorder) Kept() int64 { return r.kept.Load() }

// Dropped is how many attempts are missing, because there was no room for them or they could not be written.
func (r *Recorder) Dropped() int64 { return r.dropped.Load() }

// Took is for how long altogether the database was asked to write.
func (r *Recorder) Took() time.Duration { return time.Duration(r.took.Load()) }

// run writes one batch after the other until the recorder is closed and the queue is empty.
func (r *Recorder) run(ctx context.Context) {
	defer close(r.closed)
	for {
		batch := r.gather()
		if len(batch) == 0 {
			return
		}
		start := time.Now()
		err := r.write(ctx, batch)
		r.took.Add(int64(time.Since(start)))
		if err != nil {
			r.dropped.Add(int64(len(batch)))
			r.config.Log.WarnContext(ctx, "attempts were not kept", "attempts", len(batch), "error", err)
			continue
		}
		r.kept.Add(int64(len(batch)))
	}
}

// gather waits for the next attempt and then a little, for others and for its turn. It returns none when the recorder is closed and
// there are no more.
func (r *Recorder) gather() (batch []row) {
	var enough <-chan time.Time
	for queue := r.queue; ; {
		select {
		case next := <-queue:
			if batch = append(batch, next); len(batch) == 1 {
				enough = time.After(gathering)
			}
			if len(batch) == batchRows {
				queue = nil
			}
		case <-enough:
			return batch
		case <-r.closing:
			return r.rest(batch)
		}
	}
}

// rest fills a batch with what is queued already.
func (r *Recorder) rest(batch []row) []row {
	for len(batch) < batchRows {
		select {
		case next := <-r.queue:
			batch = append(batch, next)
		default:
			return batch
		}
	}
	return batch
}
