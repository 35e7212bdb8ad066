package shared

import (
	"context"
	"encoding/base64"

	redisrate "github.com/go-redis/redis_rate/v10"
)

// Allow counts one more of a name, for all processes together, and reports whether a minute may have so many. They may come at once,
// and then as evenly as so many a minute do. It reports true where Redis does not answer, is full or was flushed: who asks counts too.
func (m *Memory) Allow(ctx context.Context, name string, aMinute int) (allowed bool) {
	defer func() {
		if recover() != nil { // redisrate takes every reply for one of its script
			allowed = true
		}
	}()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), m.patience)
	defer cancel()
	place := base64.RawURLEncoding.EncodeToString(m.derive("limit", name))
	counted, err := redisrate.NewLimiter(m.client).Allow(ctx, "onlyonce:limit:"+place, redisrate.PerMinute(aMinute))
	return err != nil || counted.Allowed > 0
}
