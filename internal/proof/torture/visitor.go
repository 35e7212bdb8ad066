package torture

import (
	"bytes"
	"context"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"slices"
	"strings"
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
	answer

	next string // the URL that it leads to
}

func (p page) says(text string) bool { return strings.Contains(string(p.text), text) }

// found returns the first group of a pattern in the page, or "".
func (p page) found(pattern *regexp.Regexp) string {
	if found := pattern.FindSubmatch(p.text); found != nil {
		return string(found[1])
	}
	return ""
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

// visit opens a page, or sends a form to it, until there is an answer that is final, as one with these texts
// is. It reports false if ctx ended before.
func (v *visitor) visit(ctx context.Context, path string, form url.Values, final ...string) (page, bool) {
	for n := 0; ctx.Err() == nil; n++ {
		seen := v.once(ctx, path, form)
		retry := seen.status == 0 || seen.busy() || seen.status == http.StatusConflict && n < mostInProgress
		if !retry || slices.ContainsFunc(final, seen.says) {
			return seen, true
		}
		seen.backOff(ctx, n)
	}
	return page{}, false
}

// once makes one attempt. An incomplete answer is a page without a status.
func (v *visitor) once(ctx context.Context, path string, form url.Values) page {
	method := http.MethodGet
	if form != nil {
		method = http.MethodPost
	}
	v.sent++
	contentType, body := encodeForm(form)
	header := http.Header{"Content-Type": {contentType}}
	a, err := exchange(ctx, v.http, method, "http://"+v.addrs[v.sent%len(v.addrs)]+path, header, body)
	if err != nil {
		return page{}
	}
	return page{a, a.header.Get("Location")}
}

// fileField is the field of a form with the content of a CSV file.
const fileField = "file"

// encodeForm returns the body of a form, with its type.
func encodeForm(form url.Values) (contentType string, body []byte) {
	if !form.Has(fileField) {
		return "application/x-www-form-urlencoded", []byte(form.Encode())
	}
	var all bytes.Buffer
	w := multipart.NewWriter(&all)
	for name := range form {
		if name != fileField {
			_ = w.WriteField(name, form.Get(name)) // memory never fails
		}
	}
	if part, err := w.CreateFormFile(fileField, "customers.csv"); err == nil {
		_, _ = io.WriteString(part, form.Get(fileField))
	}
	_ = w.Close()
	return w.FormDataContentType(), all.Bytes()
}
