package secret_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/assert"
	"onlyonce/internal/people/secret"
)

// TestDerive checks that a secret is the same for the same session, purpose and id, and differs for any other.
func TestDerive(t *testing.T) {
	t.Parallel()
	id, seed := uuid.New(), secret.FromSession("session")
	first := seed.Derive("token", id)
	again := secret.FromSession("session").Derive("token", id)
	assert.Thatf(t, again == first && len(first) == 43, "%q, then %q", first, again)
	for what, other := range map[string]string{
		"session": secret.FromSession("another").Derive("token", id),
		"purpose": seed.Derive("link", id),
		"id":      seed.Derive("token", uuid.New()),
	} {
		assert.Thatf(t, other != first, "another %s, and the same secret", what)
	}
}

// TestSeedPrintsNothing checks that neither a seed nor a command with one prints it.
func TestSeedPrintsNothing(t *testing.T) {
	t.Parallel()
	seed := secret.FromSession("session")
	for _, text := range []string{fmt.Sprint(seed), fmt.Sprintf("%+v %v", struct{ Seed secret.Seed }{seed}, &seed)} {
		assert.Thatf(t, strings.Trim(strings.NewReplacer("Seed:", "", "[seed]", "").Replace(text), "{} &") == "", "%q", text)
	}
}
