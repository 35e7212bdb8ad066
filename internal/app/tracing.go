package app

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/exaring/otelpgx"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	api "go.opentelemetry.io/otel/trace"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/web"
)

// tracing sends a trace of each request to a collector: the request, its attempts, and other queries; and a trace of each job.
// It is nil without a collector, and then adds no overhead.
type tracing struct{ provider *trace.TracerProvider }

// startTracing also reads the other variables of OpenTelemetry, such as those for the sampler, the name of the service and
// headers.
func (a *App) startTracing(ctx context.Context) error {
	if a.config.Traces == "" {
		return nil
	}
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(a.config.Traces+"/v1/traces"))
	if err != nil {
		return fmt.Errorf("send traces to OTEL_EXPORTER_OTLP_ENDPOINT: %w", err)
	}
	about, err := resource.New(ctx,
		resource.WithAttributes(semconv.ServiceName("onlyonce")), resource.WithFromEnv())
	if err != nil {
		return fmt.Errorf("read OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	a.tracing = &tracing{trace.NewTracerProvider(trace.WithBatcher(exporter), trace.WithResource(about))}
	a.stops = append(a.stops, func(ctx, _ context.Context) error {
		if err := a.tracing.provider.Shutdown(ctx); err != nil {
			a.config.Log.WarnContext(ctx, "the last traces are lost", "error", err)
		}
		return nil
	})
	return nil
}

// queries returns a tracer of a pool's queries, or nil. Their arguments are never part of a trace.
func (t *tracing) queries() pgx.QueryTracer {
	if t == nil {
		return nil
	}
	return otelpgx.NewTracer(otelpgx.WithTracerProvider(t.provider))
}

// requests traces the requests. A trusted proxy may have begun the trace; other clients' traces are only linked.
func (t *tracing) requests(server *web.Server) http.Handler {
	if t == nil {
		return server.Handler
	}
	return otelhttp.NewHandler(server.Handler, "request",
		otelhttp.WithTracerProvider(t.provider), otelhttp.WithPropagators(propagation.TraceContext{}),
		otelhttp.WithPublicEndpointFn(func(r *http.Request) bool { return !server.FromProxy(r) }))
}

// jobs returns a tracer of the jobs. River's own queries have no traces: it polls once a second.
func (t *tracing) jobs() []rivertype.Middleware {
	if t == nil {
		return nil
	}
	return []rivertype.Middleware{&jobTraces{tracer: t.provider.Tracer("onlyonce")}}
}

type jobTraces struct {
	river.MiddlewareDefaults

	tracer api.Tracer
}

// Work implements [rivertype.WorkerMiddleware].
func (j *jobTraces) Work(ctx context.Context, job *rivertype.JobRow, work func(context.Context) error) error {
	ctx, span := j.tracer.Start(ctx, "job "+job.Kind,
		api.WithAttributes(attribute.Int64("job", job.ID), attribute.Int("attempt", job.Attempt)))
	defer span.End()
	err := work(ctx)
	if err != nil {
		span.SetStatus(codes.Error, "")
	}
	return err
}

// nameTrace sets the name of a request's trace. It omits the path, which has ids and arbitrary input.
func nameTrace(ctx context.Context, a web.Answered) {
	span := api.SpanFromContext(ctx)
	if !span.IsRecording() {
		return
	}
	span.SetName(a.Method + " " + a.Route)
	span.SetAttributes(semconv.HTTPRoute(a.Route), attribute.String("request_id", a.ID))
	if a.Tenant != uuid.Nil {
		span.SetAttributes(attribute.String("tenant", a.Tenant.String()))
	}
}

// traceAttempt adds an attempt to the trace of its request, if there is one. Its statements have no spans, as they travel in one round
// trip. It has no data of a record, unlike a line of the log.
func traceAttempt(ctx context.Context, a idempotency.Attempt) {
	request := api.SpanFromContext(ctx)
	if !request.IsRecording() {
		return
	}
	ended := time.Now()
	_, span := request.TracerProvider().Tracer("onlyonce").Start(ctx, a.Operation,
		api.WithTimestamp(ended.Add(-a.Duration)))
	span.SetAttributes(attribute.String("tenant", a.Intent.Tenant.String()), attribute.String("key", a.Intent.Key.String()),
		attribute.String("outcome", string(a.Outcome)), attribute.String("record", a.Record.String()))
	if a.Outcome == idempotency.Failed {
		span.SetStatus(codes.Error, "")
	}
	span.End(api.WithTimestamp(ended))
}
