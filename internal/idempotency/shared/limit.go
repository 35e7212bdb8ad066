package shared

import (
	"context"
	"encoding/base64"

	redisrate "github.com/go-redis/redis_rate/v10"
)

// Allow adds one to the count of a name, for all processes together, and reports whether the rate allows it. All aMinute may come in one
// burst; after that, the rate is aMinute per minute, evenly spaced. Allow returns true if Redis does not answer, is full or was flushed,
// because the caller counts too.
func (m *Memory) Allow(ctx context.Context, name string, aMinute int) (allowed bool) {
	defer func() {
		if recover() != nil { // redisrate panics on a reply that isn't from its script
			allowed = true
		}
	}()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), m.patience)
	defer cancel()
	place := base64.RawURLEncoding.EncodeToString(m.derive("limit", name))
	counted, err := redisrate.NewLimiter(m.client).Allow(ctx, "onlyonce:limit:"+place, redisrate.PerMinute(aMinute))
	return err != nil || counted.Allowed > 0
}
