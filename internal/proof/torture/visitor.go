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

// visitor is a browser with its user: it keeps cookies, and the user sends each form until it is answered.
type visitor struct {
	http  *http.Client
	addrs [2]string // of the replicas, in turns
	sent  int
	email string // of the logged-in user; "" once that user has another one
}

// pageTimeout is longer than answerTimeout, because hashing a password takes time.
const pageTimeout = 2 * answerTimeout

// mostInProgress bounds the retries after 409 "in progress". Other conflicts are final.
const mostInProgress = 100

// page is an answer to a visitor.
type page struct {
	status int
	next   string // the URL that it leads to
	text   string
}

func newVisitor(addrs [2]string, email string) *visitor {
	jar, err := cookiejar.New(nil)
	if err != nil {
		panic(err) // cookiejar.New returns no error without options
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

// once makes one attempt. An incomplete answer is a page without a status.
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
	seconds, _ := strconv.Atoi(response.Header.Get("Retry-After")) // 0 if missing
	return page{response.StatusCode, response.Header.Get("Location"), string(text)}, time.Duration(seconds) * time.Second
}
