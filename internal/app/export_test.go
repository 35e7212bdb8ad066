package app

import (
	"context"
	"time"
)

// StartWithin is [Start] with other bounds for a request and for the end.
func StartWithin(ctx context.Context, c Config, request, drain time.Duration) (*App, error) {
	return start(ctx, c, limits{request: request, drain: drain})
}
