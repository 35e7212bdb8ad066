package app

import (
	"context"
	"log/slog"
	"time"
)

// StartWithin is [Start] with other bounds for a request and for the end.
func StartWithin(ctx context.Context, c Config, request, drain time.Duration) (*App, error) {
	return start(ctx, c, limits{request: request, drain: drain})
}

// StartPatient is [Start] with another bound for each question to Redis.
func StartPatient(ctx context.Context, c Config, patience time.Duration) (*App, error) {
	return start(ctx, c, limits{drain: drain, redis: patience})
}

// StartFilling is [Start] with another bound for demo data.
func StartFilling(ctx context.Context, c Config, filling time.Duration) (*App, error) {
	return start(ctx, c, limits{drain: drain, filling: filling})
}

// JobLog is the log of River.
func JobLog(log *slog.Logger) *slog.Logger { return jobLog(log) }
