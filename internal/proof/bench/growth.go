package bench

import (
	"context"
	"fmt"
)

// Point is what creates are like where there is so much of something.
type Point struct {
	Of string `json:"of"` // such as "connections"
	At int    `json:"at"`

	P50    Spread `json:"p50"` // milliseconds
	P99    Spread `json:"p99"`
	Rate   Spread `json:"rate"`   // a second
	Memory Spread `json:"memory"` // megabytes of the server, after the runs
	// Commit is the one that was measured, if it is another one than that of the report.
	Commit string `json:"commit,omitempty"`
}

// What there may be more of.
const (
	ofConnections = "connections"
	ofTenants     = "tenants"
	ofProcessors  = "processors of the server"
	ofLines       = "lines of an invoice"
)

// growthTokens makes a token for each tenant of the past.
const growthTokens = `
	INSERT INTO api_tokens (token_hash, tenant_id, name)
	SELECT sha256(('oo_growth_' || row_number() OVER (ORDER BY id))::bytea), id, 'growth' FROM tenants WHERE name LIKE 'Tenant %'`

// dimension is something that there may be more of, and how much of it is tried.
type dimension struct {
	of     string
	levels []int
}

func dimensions() []dimension {
	return []dimension{
		{ofConnections, []int{1, 4, 16, 64, 256}},
		{ofTenants, []int{1, 10, 100, 1000}},
		{ofProcessors, []int{1, 2}},
		{ofLines, []int{1, 10, 50, 200}},
	}
}

// growth asks how creates change with the load: one thing grows at a time, the others are as for the rates.
func (b *bench) growth(ctx context.Context) error {
	s, err := b.populated(ctx, "growth", few)
	if err != nil {
		return err
	}
	s.stop()
	if err := s.admin().exec(ctx, growthTokens, `ANALYZE`); err != nil {
		return err
	}
	for _, d := range dimensions() {
		for _, level := range d.levels {
			p, err := b.point(ctx, s.database, d.of, level)
			if err != nil {
				return fmt.Errorf("%d %s: %w", level, d.of, err)
			}
			b.sayf("  %d %s: p50 %s ms, p99 %s ms, %s /s, %s MB", level, d.of,
				amount(p.P50.Median), amount(p.P99.Median), amount(p.Rate.Median), amount(p.Memory.Median))
			b.points = append(b.points, p)
		}
	}
	return nil
}

// point measures with a server of its own, whose memory begins anew.
func (b *bench) point(ctx context.Context, db database, of string, level int) (Point, error) {
	l, connections, env := b.load, 16, []string{"DATABASE_URL=" + db.url()}
	switch of {
	case ofConnections:
		connections = level
	case ofTenants:
		l.tenants = level
	case ofProcessors:
		env = append(env, fmt.Sprintf("GOMAXPROCS=%d", level))
	case ofLines:
		l.lines = level
	}
	server, err := b.startServer(ctx, env...)
	if err != nil {
		return Point{}, err
	}
	defer server.stop()
	var p50, p99, rate, memory []float64
	for round := range b.Rounds + 1 { // the first one is for statements and caches
		s, err := l.run(ctx, typed, server.origin+invoicesPath, connections)
		if err != nil {
			return Point{}, err
		}
		held, err := server.memory(ctx)
		if err != nil {
			return Point{}, err
		}
		if round > 0 {
			p50, p99, rate = append(p50, s.p50()), append(p99, s.p99()), append(rate, s.rate())
			memory = append(memory, held/1e6)
		}
	}
	return Point{Of: of, At: level, P50: spreadOf(p50), P99: spreadOf(p99), Rate: spreadOf(rate), Memory: spreadOf(memory)}, nil
}
