package secretkey_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/value/secretkey"
)

// TestKeep checks that concurrent calls return the same key, that it stays the same, and that other users of the machine can't read it.
func TestKeep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	keys, errs := make([]secretkey.Key, 20), make([]error, 20)
	var gate, done sync.WaitGroup
	gate.Add(1)
	for i := range keys {
		done.Go(func() {
			gate.Wait()
			keys[i], errs[i] = secretkey.Keep(dir)
		})
	}
	gate.Done()
	done.Wait()
	for i, key := range keys {
		assert.Thatf(t, errs[i] == nil && !key.IsZero() && key == keys[0], "%v", errs[i])
	}
	files, _ := os.ReadDir(dir)
	info, err := os.Stat(filepath.Join(dir, "secret.key"))
	assert.Thatf(t, err == nil && info.Mode() == 0o600 && len(files) == 1, "%v, %v, %v", files, info, err)
	must.OK(t, os.WriteFile(filepath.Join(dir, "secret.key"), []byte("half"), 0o600))
	if _, err := secretkey.Keep(dir); err == nil || !strings.Contains(err.Error(), "secret.key") {
		t.Errorf("damaged: %v", err)
	}
}

// TestDerive checks that a key is the same for the same purpose, and differs for another purpose or secret.
func TestDerive(t *testing.T) {
	t.Parallel()
	one, err := secretkey.Parse(strings.Repeat("MDEy", 10) + "MDE=")
	must.OK(t, err)
	two, err := secretkey.Parse(strings.Repeat("MDEz", 10) + "MDE=")
	must.OK(t, err)
	key := one.Derive("a")
	if !bytes.Equal(one.Derive("a"), key) || bytes.Equal(one.Derive("b"), key) || bytes.Equal(two.Derive("a"), key) || len(key) != 32 {
		t.Error("keys are not apart")
	}
	for _, bad := range []string{"", "secret", strings.Repeat("A", 43) + "=", strings.Repeat("MDEy", 11)} {
		_, err := secretkey.Parse(bad)
		assert.Thatf(t, err != nil, "%q is taken", bad)
	}
}

// TestPrintsNothing checks that logging a key, or a configuration with one, does not reveal it.
func TestPrintsNothing(t *testing.T) {
	t.Parallel()
	key, err := secretkey.Keep(t.TempDir())
	must.OK(t, err)
	within := struct{ Key secretkey.Key }{key}
	for _, text := range []string{fmt.Sprint(key), fmt.Sprintf("%+v|%v|%#v", within, &within, within)} {
		assert.Thatf(t, !strings.Contains(text, "bytes") && !strings.Contains(text, "0x") && strings.Count(text, "secret key") != 0,
			"%v", text)
	}
}
