package bench

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"testing"
)

func TestHeavyRequestsAreAsLargeAsSaid(t *testing.T) {
	t.Parallel()
	for _, size := range sizesOfBodies() {
		for _, h := range heavyRequests("name=value", size.bytes) {
			if n := len(h.body); n > size.bytes || n < size.bytes*9/10 {
				t.Errorf("%s: a body of %d bytes, want nearly %d", h.name, n, size.bytes)
			}
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
