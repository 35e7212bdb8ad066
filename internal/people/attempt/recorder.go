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
	// queued is the maximum number of attempts in memory: about a megabyte.
	queued = 5000
	// batchRows is the maximum number of attempts in one write, and gathering the wait of the first one for others. So a process writes at
	// most 2,000 a second: a flood of repeats must not overload the database.
	batchRows = 1000
	gathering = 500 * time.Millisecond
	// writing is the time limit of a write.
	writing = 5 * time.Second
)

// Config configures a [Recorder].
type Config struct {
	Pool *pgxpool.Pool
	Log  *slog.Logger
	// Replica is the name of this process.
	Replica string
	// Reason returns the name of an error's problem, without any input.
	Reason func(error) string
}

// Recorder stores attempts. The caller must Close it.
type Recorder struct {
	config  Config
	queue   chan row
	closing <-chan struct{}
	close   context.CancelFunc
	closed  chan struct{} // closed after the last write
	giveUp  context.CancelFunc

	kept, dropped, took atomic.Int64
}

// Start returns a recorder that stores attempts.
func Start(c Config) *Recorder {
	ctx, giveUp := context.WithCancel(context.Background())
	closing, closeIt := context.WithCancel(context.Background())
	r := &Recorder{
		config: c, queue: make(chan row, queued), closing: closing.Done(), close: closeIt, closed: make(chan struct{}), giveUp: giveUp,
	}
	go r.run(ctx)
	return r
}

// Observe queues an attempt that has just ended. It never blocks: if the queue is full, the attempt is dropped.
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

// Close writes the queue until ctx is done. Later attempts are dropped.
func (r *Recorder) Close(ctx context.Context) {
	r.close()
	defer context.AfterFunc(ctx, r.giveUp)()
	<-r.closed
	r.giveUp()
}

// Kept returns the number of attempts written.
func (r *Recorder) Kept() int64 { return r.kept.Load() }

// Dropped returns the number of attempts that were not kept because the queue was full or a write failed.
func (r *Recorder) Dropped() int64 { return r.dropped.Load() }

// Took returns the total time of writes to the database.
func (r *Recorder) Took() time.Duration { return time.Duration(r.took.Load()) }

// run writes batches until the recorder is closed and the queue is empty.
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

// gather waits for the next attempt, and then shortly for others and for its turn. It returns an empty batch when the recorder is closed
// and the queue is empty.
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

// rest fills a batch from the queue.
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
