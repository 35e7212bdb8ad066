package bench

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"onlyonce/internal/proof/must"
)

// TestDelayLine: everything is late by the same, whatever else is under way, and in order.
func TestDelayLine(t *testing.T) {
	t.Parallel()
	const delay = 20 * time.Millisecond
	line := delayLine{make(chan parcel, 1024), delay}
	var sent, took []time.Duration
	var all bytes.Buffer
	began, done := time.Now(), make(chan struct{})
	go func() {
		defer close(done)
		line.deliver(writer(func(p []byte) (int, error) {
			took = append(took, time.Since(began))
			return all.Write(p)
		}))
	}()
	for n := range byte(100) {
		sent = append(sent, time.Since(began))
		if _, err := line.Write([]byte{n}); err != nil {
			t.Fatal(err)
		}
	}
	_ = line.Close()
	<-done
	if !slices.IsSorted(all.Bytes()) || all.Len() != 100 {
		t.Errorf("delivered % x", all.Bytes())
	}
	for n := range took {
		if late := took[n] - sent[n]; late < delay || late > 50*delay { // one after the other would take 100 times as long
			t.Errorf("parcel %d took %s, want %s", n, late, delay)
		}
	}
}

func TestADistantDatabase(t *testing.T) {
	t.Parallel()
	const delay = 10 * time.Millisecond
	w, err := watch(t.Context(), near(t), delay)
	must.OK(t, err)
	defer w.close()
	took, _, err := ping(t.Context(), w.url())
	if err != nil || took < 20 {
		t.Errorf("a round trip took %v ms, %v", took, err)
	}
}
