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
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/procfs"
)

// size is that of a body.
type size struct {
	name  string
	bytes int
}

// sizesOfBodies are the largest that the program takes, and one that is not large yet: of these it may handle
// more at once.
func sizesOfBodies() []size { return []size{{"1 MiB", 1 << 20}, {"64 KiB", 1<<16 - 1}} }

// heavy is a request that makes much of its body.
type heavy struct {
	name, path, contentType string
	// header authenticates the sender: "Name: value", or "" for none.
	header string
	body   string
}

// memory looks for the most memory that the program ever holds while 64 heavy requests come at once. Each
// figure is about a program that was started for it.
func (b *bench) memory(ctx context.Context) error {
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
	for _, body := range sizesOfBodies() {
		for _, request := range heavyRequests(cookie, body.bytes) {
			peaks, answers, err := b.peaks(ctx, first.database, request)
			if err != nil {
				return fmt.Errorf("%s: %w", request.name, err)
			}
			b.add(alone(fmt.Sprintf("peak memory under %d requests of %s at once: %s", heavyCallers, body.name, request.name),
				megabytes, peaks...).atMost(256).noting("answers: " + tally(answers)))
		}
	}
	return nil
}

// heavyCallers is how many send a heavy request at once.
const heavyCallers = 64

// peaks returns the megabytes of each round, and how many answers of each status there were.
func (b *bench) peaks(ctx context.Context, db database, request heavy) (peaks []float64, answers map[string]int, err error) {
	const bursts = 3
	answers = map[string]int{}
	for range b.Rounds {
		s, err := b.startServer(ctx, "DATABASE_URL="+db.url())
		if err != nil {
			return nil, nil, err
		}
		for range bursts {
			flood(ctx, s.origin, request, heavyCallers, answers)
		}
		peak, err := peakMemory(s.PID())
		s.stop()
		if err != nil {
			return nil, nil, fmt.Errorf("the program did not survive, see %s: %w", s.Log, err)
		}
		peaks = append(peaks, peak/1e6)
	}
	return peaks, answers, nil
}

// heavyKey stands in the header and in the forms: what comes with it is read to its end.
const heavyKey = "heavy"

func heavyRequests(cookie string, bytes int) []heavy {
	const (
		form  = "application/x-www-form-urlencoded"
		token = "Authorization: Bearer " + acmeToken
		key   = "idempotency_key=" + heavyKey + "&"
	)
	return []heavy{
		{"a form of quotation marks, nobody logged in", "/invoices", form, "", padded(bytes, "notes=", `"`, "")},
		{"a form of quotation marks", "/invoices", form, "Cookie: " + cookie, padded(bytes, key+"notes=", `"`, "")},
		{"a form of 1,000 fields", "/invoices", form, "Cookie: " + cookie, distinctFields(bytes, key, 1000)},
		{"a form of as many fields as fit", "/invoices", form, "Cookie: " + cookie, distinctFields(bytes, key, bytes)},
		{"a form of as many lines as fit", "/invoices/form", form, "Cookie: " + cookie, padded(bytes, key, "line_description&", "")},
		{"JSON of as many empty lines as fit", invoicesPath, "application/json", token, padded(bytes, `{"lines":[{}`, ",{}", "]}")},
		{"JSON of escapes", invoicesPath, "application/json", token, padded(bytes, `{"notes":"`, `\u0001`, `"}`)},
	}
}

// padded repeats a part between a beginning and an end as often as a body of so many bytes holds.
func padded(bytes int, begin, part, end string) string {
	return begin + strings.Repeat(part, (bytes-len(begin)-len(end))/len(part)) + end
}

// distinctFields is a form with at most so many fields, each with another name. Their values share the room that
// the names leave, and are of what becomes longer in HTML.
func distinctFields(bytes int, begin string, most int) string {
	var form strings.Builder
	form.WriteString(begin)
	value := strings.Repeat(`"`, max(0, bytes/most-8))
	for n := range most {
		field := strconv.FormatInt(int64(n), 36) + "=" + value + "&"
		if form.Len()+len(field) > bytes {
			break
		}
		form.WriteString(field)
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

// send returns the status of the answer, or "none".
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
	process, err := procfs.NewProc(pid)
	if err != nil {
		return 0, err
	}
	status, err := process.NewStatus()
	return float64(status.VmHWM), err
}
