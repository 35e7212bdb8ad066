package web

import (
	"context"
	"errors"
	"testing"

	"onlyonce/internal/postgres/pgtest"
)

// TestSessionsAskWithinTheRequest: what a session asks of the database ends with its request.
func TestSessionsAskWithinTheRequest(t *testing.T) {
	t.Parallel()
	sessions := newSessions(pgtest.New(t).Pool, false)
	ctx, err := sessions.Load(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	sessions.Put(ctx, sessionUser, "ada")
	token, _, err := sessions.Commit(begun(ctx))
	if err != nil {
		t.Fatal(err)
	}
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
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s after the request is over: %v", what, err)
		}
	}
	again, err := sessions.Load(t.Context(), token)
	if err != nil || sessions.GetString(again, sessionUser) != "ada" {
		t.Errorf("the session holds %q, %v", sessions.GetString(again, sessionUser), err)
	}
}
