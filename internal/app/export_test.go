package app

import (
	"context"
	"log/slog"
	"time"
)

// StartWithin is [Start] with other time limits for a request and for shutdown.
func StartWithin(ctx context.Context, c Config, request, drain time.Duration) (*App, error) {
	return start(ctx, c, limits{request: request, drain: drain})
}

// StartPatient is [Start] with another time limit for each request to Redis.
func StartPatient(ctx context.Context, c Config, patience time.Duration) (*App, error) {
	return start(ctx, c, limits{drain: drain, redis: patience})
}

// StartFilling is [Start] with another bound for demo data.
func StartFilling(ctx context.Context, c Config, filling time.Duration) (*App, error) {
	return start(ctx, c, limits{drain: drain, filling: filling})
}

// JobLog is jobLog for tests.
func JobLog(log *slog.Logger) *slog.Logger { return jobLog(log) }
