package server

import (
	"context"
	"time"
)

// Ready waits, like [Start], for the server whose socket is in socketDir, with another patience.
func Ready(ctx context.Context, socketDir string, patience time.Duration) error {
	return (&Process{}).ready(ctx, socketDir, patience)
}
