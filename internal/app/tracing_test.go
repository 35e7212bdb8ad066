package app_test

import (
	"encoding/hex"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	spans "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"onlyonce/internal/app"
	"onlyonce/internal/assert"
	"onlyonce/internal/mailer"
	"onlyonce/internal/mailer/mailertest"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
)

// traced is a collector of traces.
type traced struct {
	mu    sync.Mutex
	spans []*spans.Span
	sent  strings.Builder // as text
}

func (c *traced) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	var request collector.ExportTraceServiceRequest
	body, err := io.ReadAll(r.Body)
	if err != nil || proto.Unmarshal(body, &request) != nil || r.URL.Path != "/v1/traces" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent.WriteString(request.String())
	for _, resource := range request.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			c.spans = append(c.spans, scope.Spans...)
		}
	}
}

func (c *traced) named(name string) []*spans.Span {
	return slices.DeleteFunc(slices.Clone(c.spans), func(s *spans.Span) bool { return s.Name != name })
}

// TestTraces: a create is one trace: the request, which a proxy may have begun, its attempt with key and outcome, and other
// queries. A stranger's trace is not continued, and no value is sent.
func TestTraces(t *testing.T) {
	c := &traced{}
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	b := setup(t, func(config *app.Config) {
		config.Traces, config.PublicDemo = server.URL, true
		config.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.2/32")}
	})
	const begun = "0af7651916cd43dd8448eb211c80319c"
	for _, from := range []string{"127.0.0.1", "127.0.0.2"} {
		b.createThrough(from, "00-"+begun+"-b7ad6b7169203331-01")
	}
	if err := b.Close(t.Context()); err != nil { // which sends the rest
		t.Fatal(err)
	}

	const name, operation = "POST /api/v1/customers", "customer.upsert"
	requests, attempts := c.named(name), c.named(operation)
	if len(requests) != 2 || len(attempts) != 2 {
		t.Fatalf("%d requests, %d attempts in\n%s", len(requests), len(attempts), c.sent.String())
	}
	for i, request := range requests {
		attempt, ofProxy := attempts[i], i == 1
		assert.Thatf(t, string(attempt.TraceId) == string(request.TraceId) && string(attempt.ParentSpanId) == string(request.SpanId),
			"the attempt %v is not part of %v", attempt, request)
		same := hex.EncodeToString(request.TraceId) == begun
		assert.Thatf(t, same == ofProxy, "by a proxy: %t, trace %x", ofProxy, request.TraceId)
	}
	first := func(s *spans.Span) bool { return string(s.TraceId) == string(requests[0].TraceId) }
	inFirst := slices.Collect(func(yield func(string) bool) {
		for _, s := range c.spans {
			if first(s) && !yield(s.String()) {
				return
			}
		}
	})
	all := strings.Join(inFirst, "\n")
	for _, part := range []string{key, "created", "FROM api_tokens a", "pool.acquire"} {
		assert.Thatf(t, strings.Contains(all, part), "nothing about %s in\n%s", part, all)
	}
	for _, secret := range []string{"oo_demo_acme", "ada@example.com", "St James"} {
		assert.Thatf(t, !strings.Contains(c.sent.String(), secret), "%s was sent", secret)
	}
}

// TestTracesOfJobs checks that each attempt at a job is a trace with its success or failure, and without data.
func TestTracesOfJobs(t *testing.T) {
	pgtest.Long(t)
	c := &traced{}
	collector := httptest.NewServer(c)
	t.Cleanup(collector.Close)
	mails := mailertest.Start(t, func(before int) error {
		if before == 0 {
			return errors.New("451 4.3.0 later")
		}
		return nil
	}, nil)
	b := linking(t, mails.URL, func(config *app.Config) { config.Traces = collector.URL })
	if _, err := b.invite("one", true); err != nil {
		t.Fatal(err)
	}
	state, _ := b.linkMail()
	must.Thatf(t, state == mailer.StateSent, "%v", state)
	if err := b.Close(t.Context()); err != nil { // which sends the rest
		t.Fatal(err)
	}
	jobs := c.named("job link_mail")
	assert.Thatf(t, len(jobs) == 2 && string(jobs[0].TraceId) != string(jobs[1].TraceId) &&
		jobs[0].Status.Code == spans.Status_STATUS_CODE_ERROR && jobs[1].Status.Code == spans.Status_STATUS_CODE_UNSET, "%v", jobs)
	assert.Thatf(t, !strings.Contains(c.sent.String(), "ada@example.com"), "the address was sent")
}

// TestTraceOverALostConnection: as in a failover, the database ends the connection of a create, which is sent again over
// another one. The trace of the attempt has both.
func TestTraceOverALostConnection(t *testing.T) {
	pgtest.Long(t)
	c := &traced{}
	collector := httptest.NewServer(c)
	t.Cleanup(collector.Close)
	b := setup(t, func(config *app.Config) { config.Traces, config.PublicDemo = collector.URL, true })
	locked, err := b.DB.Admin().Begin(t.Context())
	must.OK(t, err)
	_, err = locked.Exec(t.Context(), `LOCK TABLE customers IN SHARE MODE`)
	must.OK(t, err)
	var created sync.WaitGroup
	created.Go(func() { b.createThrough("127.0.0.1", "") })
	must.Until(b, "its connection has ended", func() bool {
		return b.Number(`SELECT count(*) FILTER (WHERE pg_terminate_backend(pid)) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`) == 1
	})
	must.OK(t, locked.Rollback(t.Context()))
	created.Wait()
	must.OK(t, b.Close(t.Context())) // which sends the rest

	attempts := c.named("customer.upsert")
	must.Thatf(t, len(attempts) == 1 && strings.Contains(attempts[0].String(), "created"), "attempts %v", attempts)
	connections := slices.DeleteFunc(c.named("pool.acquire"), func(s *spans.Span) bool {
		return string(s.TraceId) != string(attempts[0].TraceId)
	})
	if len(connections) != 4 { // two find the token and note its use, two are of the attempt
		t.Errorf("%d connections of the request in\n%s", len(connections), c.sent.String())
	}
}

// createThrough creates ada from a local address, in a trace that was begun elsewhere.
func (b *bundle) createThrough(from, traceparent string) {
	b.Helper()
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	client := &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true}}
	r := request(b.URL(), key, ada)
	r.Header.Set("Traceparent", traceparent)
	response, err := client.Do(r)
	must.OK(b, err)
	_ = response.Body.Close()
}
