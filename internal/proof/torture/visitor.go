package torture

import (
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// visitor is a browser with a person in front of it: it keeps cookies, and the person sends each form until it is answered.
type visitor struct {
	http  *http.Client
	addrs [2]string // of the replicas, in turns
	sent  int
	email string // of the user who came in; "" once that user has another one
}

// pageTimeout is longer than answerTimeout: a password takes its time.
const pageTimeout = 2 * answerTimeout

// mostInProgress is how often a visitor believes that the first attempt still runs. Any other conflict stays one.
const mostInProgress = 100

// page is an answer to a visitor.
type page struct {
	status int
	next   string // where it leads to
	text   string
}

func newVisitor(addrs [2]string, email string) *visitor {
	jar, err := cookiejar.New(nil)
	if err != nil {
		panic(err) // it has no error to return
	}
	return &visitor{addrs: addrs, email: email, http: &http.Client{
		Jar: jar, Timeout: pageTimeout, Transport: &http.Transport{},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// visit opens a page, or sends a form to it, until there is an answer. It reports false if ctx ended before.
func (v *visitor) visit(ctx context.Context, path string, form url.Values) (page, bool) {
	for n := 0; ctx.Err() == nil; n++ {
		seen, after := v.once(ctx, path, form)
		switch {
		case seen.status == 0, seen.status == http.StatusTooManyRequests, seen.status == http.StatusServiceUnavailable,
			seen.status == http.StatusConflict && n < mostInProgress:
			Pause(ctx, max(after, time.Duration(min(n, 10))*25*time.Millisecond))
		default:
			return seen, true
		}
	}
	return page{}, false
}

// once makes one attempt. A page without a status is one that did not arrive whole.
func (v *visitor) once(ctx context.Context, path string, form url.Values) (seen page, after time.Duration) {
	method, body := http.MethodGet, io.Reader(http.NoBody)
	if form != nil {
		method, body = http.MethodPost, io.NopCloser(strings.NewReader(form.Encode())) // not sent again by the transport
	}
	v.sent++
	request, err := http.NewRequestWithContext(ctx, method, "http://"+v.addrs[v.sent%len(v.addrs)]+path, body)
	if err != nil {
		return page{}, 0
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := v.http.Do(request)
	if err != nil {
		return page{}, 0
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return page{}, 0
	}
	seconds, _ := strconv.Atoi(response.Header.Get("Retry-After")) // 0 without one
	return page{response.StatusCode, response.Header.Get("Location"), string(text)}, time.Duration(seconds) * time.Second
}
