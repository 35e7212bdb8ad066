package bench

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"testing"
)

func TestHeavyRequestsAreAsLargeAsAllowed(t *testing.T) {
	t.Parallel()
	for _, h := range heavyRequests("name=value") {
		if n := len(h.body); n > heaviest || n < heaviest-32 {
			t.Errorf("%s: a body of %d bytes, want nearly %d", h.name, n, heaviest)
		}
	}
}

func TestPeakMemory(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc"); errors.Is(err, fs.ErrNotExist) {
		if _, err := peakMemory(os.Getpid()); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("without /proc: %v", err)
		}
		return
	}
	peak, err := peakMemory(os.Getpid())
	if err != nil || peak < 1e6 || peak > 1e12 {
		t.Errorf("this process: %v bytes, %v", peak, err)
	}
	if _, err := peakMemory(math.MaxInt32); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a process that does not exist: %v", err)
	}
}
