package bench

import (
	"context"
	"os"
	"strconv"
)

// starts times the program from its start to its first answer, with the PostgreSQL it brings along:
// cold makes the database, warm finds it.
func (b *bench) starts(ctx context.Context) error {
	var cold, warm []float64
	for round := range b.Rounds {
		home := b.path("home" + strconv.Itoa(round))
		if err := os.Mkdir(home, 0o711); err != nil { //nolint:gosec // as root, PostgreSQL passes through as another user
			return err
		}
		for _, times := range []*[]float64{&cold, &warm} {
			s, err := b.startServer(ctx, "DATA_DIR="+home, "DATABASE_URL=")
			if err != nil {
				return err
			}
			*times = append(*times, float64(s.took.Milliseconds()))
			s.stop()
		}
	}
	size, err := os.Stat(b.server)
	if err != nil {
		return err
	}
	b.add(
		alone("start with a new embedded database and demo data", millis, cold...),
		alone("start with an existing one", millis, warm...),
		alone("server binary", megabytes, float64(size.Size())/1e6),
	)
	return nil
}
