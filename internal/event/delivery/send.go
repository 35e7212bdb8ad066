package delivery

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"onlyonce/internal/event/endpoint"
)

// send sends an event. An answer with a status from 200 to 299 is a success, and 410 (Gone) switches the endpoint off.
func (w *Worker) send(ctx context.Context, j Job, d claimed, body []byte) outcome {
	if w.config.Key.IsZero() {
		return failed(d, 0, "This server has no key to sign deliveries with. Set SECRET_KEY and restart it.")
	}
	if d.Demo && !w.config.Private {
		return failed(d, 0, "The demo sends no events. Set ALLOW_PRIVATE_ENDPOINTS=1 to try it on your machine.")
	}
	request, err := w.request(ctx, j, d, body)
	if err != nil {
		return failed(d, 0, "The address can't be used.")
	}
	response, err := w.client.Do(request)
	if err != nil {
		return failed(d, 0, reasonOf(err))
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	switch answer := clean(text); {
	case err != nil:
		return failed(d, response.StatusCode, reasonOf(err))
	case response.StatusCode == http.StatusGone:
		return outcome{
			state: endpoint.StateFailed, status: response.StatusCode, answer: answer,
			off: "The program answered with 410 (Gone): it wants no more events.",
		}
	case response.StatusCode/100 != 2: //nolint:mnd // the class of successes
		return failed(d, response.StatusCode, answer)
	default:
		return outcome{state: endpoint.StateDelivered, status: response.StatusCode, answer: answer}
	}
}

// request returns the signed request of a delivery, as Standard Webhooks specifies it.
func (w *Worker) request(ctx context.Context, j Job, d claimed, body []byte) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, d.Address, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("address the request: %w", err)
	}
	id, at := d.EventID.String(), time.Now()
	signer, err := standardwebhooks.NewWebhook(endpoint.Secret(w.config.Key, j.Tenant, j.Endpoint))
	var signature string
	if err == nil {
		signature, err = signer.Sign(id, at, body)
	}
	if err != nil {
		return nil, fmt.Errorf("sign the request: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set(standardwebhooks.HeaderWebhookID, id)
	request.Header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(at.Unix(), 10))
	request.Header.Set(standardwebhooks.HeaderWebhookSignature, signature)
	return request, nil
}

// reasonOf returns the reason why there was no whole answer, in a sentence.
func reasonOf(err error) string {
	var timeout interface{ Timeout() bool }
	switch untrusted := (*tls.CertificateVerificationError)(nil); {
	case errors.Is(err, errPrivate):
		return "The address doesn't lead to the public internet."
	case errors.As(err, &untrusted):
		return "The certificate of the program isn't trusted."
	case errors.As(err, &timeout) && timeout.Timeout():
		return "The program didn't answer in time."
	case errors.Is(err, context.Canceled):
		return "This server stopped before an answer came."
	default:
		return "The program couldn't be reached, or ended the connection without an answer."
	}
}

// clean returns the start of an answer as text, with spaces for control characters.
func clean(answer []byte) string {
	text := []rune(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(string(answer), "")))
	return strings.TrimSpace(string(text[:min(len(text), maxKept)]))
}
