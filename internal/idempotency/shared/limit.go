package shared

import (
	"context"
	"encoding/base64"
	"strconv"
	"time"
)

// Allow adds one to the count of a name, for all processes together, and reports whether the rate allows it. All aMinute may come in one
// burst; after that, the rate is aMinute per minute, evenly spaced. Allow returns true if Redis does not answer, is full or was flushed,
// because the caller counts too.
func (m *Memory) Allow(ctx context.Context, name string, aMinute int) bool {
	place := "onlyonce:limit:" + base64.RawURLEncoding.EncodeToString(m.derive("limit", name))
	each := time.Minute / time.Duration(aMinute)
	reply, err := m.do(ctx, "EVAL", count, "1", place, strconv.FormatInt(each.Microseconds(), 10))
	return err != nil || string(reply) != "0"
}

// count is the generic cell rate algorithm. The value is the time, in microseconds, at which the requests so far would have come at the
// even rate.
const count = `
local each, clock = tonumber(ARGV[1]), redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local even = math.max(now, tonumber(redis.call('GET', KEYS[1]) or 0)) + each
if even - now > 60000000 then
	return 0
end
redis.call('SET', KEYS[1], string.format('%.0f', even), 'PX', math.ceil((even - now) / 1000))
return 1`
