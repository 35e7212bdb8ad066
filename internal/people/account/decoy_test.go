package account

import (
	"testing"

	"github.com/alexedwards/argon2id"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
)

// TestDecoyCostsTheSame checks that a login with an unknown email takes as long as with a wrong password.
func TestDecoyCostsTheSame(t *testing.T) {
	t.Parallel()
	hashed, err := HashPassword("something")
	must.OK(t, err)
	want, realSalt, realHash, err := argon2id.DecodeHash(hashed)
	must.OK(t, err)
	got, salt, hash, err := argon2id.DecodeHash(decoy)
	must.Thatf(t, err == nil, "the decoy is no hash: %v", err)
	assert.Thatf(t, *got == *want && len(salt) == len(realSalt) && len(hash) == len(realHash), "decoy %+v, real %+v", *got, *want)
	if match, err := argon2id.ComparePasswordAndHash("", decoy); err != nil || match {
		t.Errorf("%v, %v", match, err)
	}
}
