package server

import (
	"context"
	"time"
)

// Ready waits for the server whose socket is in socketDir as [Start] does, with another bound.
func Ready(ctx context.Context, socketDir string, patience time.Duration) error {
	return (&Process{}).ready(ctx, socketDir, patience)
}
