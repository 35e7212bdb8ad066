package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// heaviest is the largest body that the program takes, in bytes.
const heaviest = 1 << 20

// heavy is a request that makes much of a body of the largest size.
type heavy struct {
	name, path, contentType string
	// header says who sends it: "Name: value", or nothing.
	header string
	body   string
}

// memory looks for the most memory that the program ever holds while 64 of the largest requests come at
// once. Each figure is about a program that was started for it.
func (b *bench) memory(ctx context.Context) error {
	const callers, bursts = 64, 3
	if _, err := peakMemory(os.Getpid()); errors.Is(err, fs.ErrNotExist) {
		b.sayf("  the peak memory of the program is not measured: %s has no /proc to read it from", runtime.GOOS)
		return nil
	}
	first, err := b.populated(ctx, "memory", few)
	if err != nil {
		return err
	}
	cookie, err := logIn(ctx, first.origin)
	first.stop()
	if err != nil {
		return err
	}
	for _, request := range heavyRequests(cookie) {
		var peaks []float64
		answers := map[string]int{}
		for range b.Rounds {
			s, err := b.startServer(ctx, "DATABASE_URL="+first.url())
			if err != nil {
				return err
			}
			for range bursts {
				flood(ctx, s.origin, request, callers, answers)
			}
			peak, err := peakMemory(s.cmd.Process.Pid)
			s.stop()
			if err != nil {
				return fmt.Errorf("the program did not survive %s: see %s: %w", request.name, s.log, err)
			}
			peaks = append(peaks, peak/1e6)
		}
		b.add(alone(fmt.Sprintf("peak memory under %d requests of 1 MiB at once: %s", callers, request.name), megabytes, peaks...).
			atMost(256).noting("answers: " + tally(answers)))
	}
	return nil
}

// heavyKey stands in the header and in the forms: what comes with it is read to its end.
const heavyKey = "heavy"

func heavyRequests(cookie string) []heavy {
	const (
		form  = "application/x-www-form-urlencoded"
		token = "Authorization: Bearer " + acmeToken
		key   = "idempotency_key=" + heavyKey + "&"
	)
	return []heavy{
		{"a form of quotation marks, nobody logged in", "/invoices", form, "", padded("notes=", `"`, "")},
		{"a form of quotation marks", "/invoices", form, "Cookie: " + cookie, padded(key+"notes=", `"`, "")},
		{"a form of as many fields as fit", "/invoices", form, "Cookie: " + cookie, manyFields(key)},
		{"a form of as many lines as fit", "/invoices/form", form, "Cookie: " + cookie, padded(key, "line_description&", "")},
		{"JSON of as many empty lines as fit", invoicesPath, "application/json", token, padded(`{"lines":[{}`, ",{}", "]}")},
	}
}

// padded repeats a part between a beginning and an end as often as the largest body holds.
func padded(begin, part, end string) string {
	return begin + strings.Repeat(part, (heaviest-len(begin)-len(end))/len(part)) + end
}

// manyFields is a form of fields that all have another name.
func manyFields(begin string) string {
	var form strings.Builder
	form.WriteString(begin)
	for n := int64(0); form.Len() < heaviest-8; n++ {
		form.WriteString(strconv.FormatInt(n, 36) + "&")
	}
	return form.String()
}

// flood sends a request with many callers at once, each on a connection of its own, and counts the answers
// by status. That a request is refused without being read is an answer too, which not every client sees.
func flood(ctx context.Context, origin string, h heavy, callers int, answers map[string]int) {
	var mu sync.Mutex
	var all sync.WaitGroup
	gate := make(chan struct{})
	for range callers {
		all.Go(func() {
			client := http.Client{
				Transport:     &http.Transport{DisableKeepAlives: true},
				CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
				Timeout:       time.Minute,
			}
			<-gate
			status := h.send(ctx, &client, origin)
			mu.Lock()
			defer mu.Unlock()
			answers[status]++
		})
	}
	close(gate)
	all.Wait()
}

// send gives the status of the answer, or "none".
func (h heavy) send(ctx context.Context, client *http.Client, origin string) string {
	const none = "none"
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, origin+h.path, strings.NewReader(h.body))
	if err != nil {
		return none
	}
	request.Header.Set("Content-Type", h.contentType)
	request.Header.Set("Idempotency-Key", heavyKey)
	if name, value, ok := strings.Cut(h.header, ": "); ok {
		request.Header.Set(name, value)
	}
	response, err := client.Do(request)
	if err != nil {
		return none
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return none
	}
	return strconv.Itoa(response.StatusCode)
}

// tally lists what was counted, such as "64 times 422".
func tally(answers map[string]int) string {
	var parts []string
	for _, answer := range slices.Sorted(maps.Keys(answers)) {
		parts = append(parts, fmt.Sprintf("%d times %s", answers[answer], answer))
	}
	return strings.Join(parts, ", ")
}

// peakMemory is the largest resident set that a process ever had, in bytes. It returns [fs.ErrNotExist]
// where there is no /proc, or no such process.
func peakMemory(pid int) (float64, error) {
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kibibytes, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 64)
			return kibibytes * 1024, err
		}
	}
	return 0, fmt.Errorf("no VmHWM in /proc/%d/status: %w", pid, fs.ErrNotExist)
}
