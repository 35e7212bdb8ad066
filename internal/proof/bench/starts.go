package bench

import (
	"context"
	"os"
	"strconv"
)

// starts times programs from their start to the first answer: the server with a new embedded database, with the same one again, and
// with a PostgreSQL that is running; and the usual transaction.
func (b *bench) starts(ctx context.Context) error {
	running, err := b.populate(ctx, "start", few)
	if err != nil {
		return err
	}
	running.stop()
	var fresh, again, beside, usual []float64
	for round := range b.Rounds {
		home := b.path("home" + strconv.Itoa(round))
		if err := os.Mkdir(home, 0o711); err != nil { //nolint:gosec // if this is root, PostgreSQL passes through as another user
			return err
		}
		for _, start := range []struct {
			times   *[]float64
			program string
			env     []string
		}{
			{&fresh, b.server, []string{"DATA_DIR=" + home, "DATABASE_URL="}},
			{&again, b.server, []string{"DATA_DIR=" + home, "DATABASE_URL="}},
			{&beside, b.server, []string{"DATABASE_URL=" + running.url()}},
			{&usual, b.usual, []string{"DATABASE_URL=" + running.url(), "TENANT=" + acme}},
		} {
			s, err := b.start(ctx, start.program,
				append([]string{"DEMO=1", "RATE_LIMIT=0", "METRICS_ADDR=off", "SECRET_KEY=" + secretKey}, start.env...)...)
			if err != nil {
				return err
			}
			s.stop()
			*start.times = append(*start.times, float64(s.took.Microseconds())/1e3)
		}
	}
	b.add(
		against("start with a new embedded database and demo data", millis, fresh, "with the same database again", again),
		against("start with an existing embedded database", millis, again, "with a PostgreSQL that is running", beside),
		against("start with a PostgreSQL that is running", millis, beside, "the usual transaction", usual),
	)
	return nil
}
