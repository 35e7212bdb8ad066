package account_test

import (
	"errors"
	"sync"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/people/account"
)

const another = "another long passphrase"

// invite adds a link to choose a password for ada.
func (b bundle) invite(t *testing.T, link string) {
	t.Helper()
	must.Exec(t, b.Pool, `
		UPDATE users SET link_id = gen_random_uuid(), link_hash = $1, link_expires_at = now() + interval '1 hour', link_used_at = NULL
		WHERE email = 'ada@example.com'`, account.HashToken(link))
}

// TestLinkIsUsedOnce checks that only one of two concurrent requests can choose a password with a link.
func TestLinkIsUsedOnce(t *testing.T) {
	b := setup(t)
	b.invite(t, "link")
	passwords := []string{"the first passphrase", "the second passphrase"}
	errs := make([]error, 2)
	var both sync.WaitGroup
	for i, chosen := range passwords {
		both.Go(func() { _, errs[i] = account.UseLink(t.Context(), b.Pool, "link", chosen) })
	}
	both.Wait()
	must.Thatf(t, (errs[0] == nil) != (errs[1] == nil), "%v", errs)
	for i, chosen := range passwords {
		_, err := account.LogIn(t.Context(), b.Pool, "ada@example.com", chosen)
		assert.Thatf(t, (err == nil) == (errs[i] == nil), "%q: %v, then %v", chosen, errs[i], err)
	}
}

// TestPasswordIsChangedOnce checks that a repeat succeeds and ends no more sessions, and that a request with the old password only is
// refused.
func TestPasswordIsChangedOnce(t *testing.T) {
	b := setup(t)
	ada, err := account.LogIn(t.Context(), b.Pool, "ada@example.com", password)
	must.OK(t, err)
	b.invite(t, "link")
	for range 2 {
		generation, err := account.ChangePassword(t.Context(), b.Pool, ada, password, another)
		assert.Thatf(t, err == nil && generation == ada.Generation+1, "generation %d, %v", generation, err)
	}
	_, err = account.ChangePassword(t.Context(), b.Pool, ada, password, "a third long passphrase")
	assert.Thatf(t, errors.Is(err, account.ErrUnknown), "with the old password: %v", err)
	if _, err := account.InSession(t.Context(), b.Pool, ada); !errors.Is(err, account.ErrUnknown) {
		t.Errorf("the old session: %v", err)
	}
	if _, err := account.FindLink(t.Context(), b.Pool, "link"); !errors.Is(err, account.ErrUnknown) {
		t.Errorf("a link from before: %v", err)
	}
}
