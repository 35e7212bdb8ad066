package peoplepages

import (
	"context"
	"errors"
	"testing"
	"time"

	"onlyonce/internal/must"
)

// TestSessionsAskWithinTheRequest checks that queries of a session end with its request.
func TestSessionsAskWithinTheRequest(t *testing.T) {
	t.Parallel()
	server := serve(t)
	sessions, token := server.sessions, server.plant(t, time.Minute)
	ctx, err := sessions.Load(t.Context(), token)
	must.OK(t, err)
	over, cancel := context.WithCancel(ctx)
	cancel()
	_, _, committed := sessions.Commit(over)
	// A context with a session is not loaded again, so this one has none.
	bare, cancel := context.WithCancel(t.Context())
	cancel()
	_, loaded := sessions.Load(bare, token)
	for what, err := range map[string]error{
		"find": loaded, "store": committed, "renew": sessions.RenewToken(over), "delete": sessions.Destroy(over),
	} {
		must.Holdf(t, errors.Is(err, context.Canceled), "%s after the request is over: %v", what, err)
	}
	again, err := sessions.Load(t.Context(), token)
	must.Holdf(t, err == nil && sessions.GetString(again, sessionDevice) == "a test",
		"the session holds %q, %v", sessions.GetString(again, sessionDevice), err)
}
