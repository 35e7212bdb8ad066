package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"
)

// The outcomes of attempts.
const (
	Created    = "created"
	Changed    = "changed"
	Reused     = "reused"      // an existing record was found
	Replayed   = "replayed"    // the first answer again
	Conflict   = "conflict"    // a rule refused it
	InProgress = "in progress" // another attempt still ran
	Unknown    = "unknown"     // the server could not find out whether it was committed
	Refused    = "refused"     // any other answer
	NoAnswer   = "no answer"
	NotSent    = "not sent"
)

// answer is the answer to one attempt; its outcome is NoAnswer if none arrived.
type answer struct {
	status  int
	outcome string
	stop    string // the slug of the layer that stopped it
	says    string
	mark    string // identifies the created record
	id      string
}

// answerTimeout bounds the wait for an answer. It is longer than the server needs at most.
const answerTimeout = 15 * time.Second

// ask sends one request. The body has no GetBody, so that the transport cannot send it a second time.
func ask(ctx context.Context, client *http.Client, addr, token, key string, l lane) answer {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	body := strings.NewReader(l.content(key))
	request, err := http.NewRequestWithContext(ctx, l.method, "http://"+addr+l.path, io.NopCloser(body))
	if err != nil {
		return answer{outcome: NoAnswer, says: err.Error()}
	}
	request.ContentLength = body.Size()
	request.Header.Set("Content-Type", "application/json")
	switch {
	case l.form != nil:
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	case l.sign == nil:
		request.Header.Set("Authorization", "Bearer "+token)
		request.Header.Set("Idempotency-Key", key)
	default:
		if err := l.sign(request.Header, key, l.body); err != nil {
			return answer{outcome: NoAnswer, says: err.Error()}
		}
	}
	if l.seen != "" {
		request.Header.Set("If-Match", l.seen)
	}
	response, err := client.Do(request)
	if err == nil {
		defer response.Body.Close()
		var content []byte
		if content, err = io.ReadAll(io.LimitReader(response.Body, 1<<20)); err == nil {
			return read(response.StatusCode, response.Header, content)
		}
	}
	return answer{outcome: NoAnswer, says: "The connection broke before an answer came. Nobody knows yet whether it worked."}
}

func (l lane) content(key string) string {
	if l.form == nil {
		return l.body
	}
	form := maps.Clone(l.form)
	form.Set("idempotency_key", key)
	return form.Encode()
}

func read(status int, header http.Header, content []byte) answer {
	a := answer{status: status}
	if status == http.StatusSeeOther { // a form was carried out, now or before; see [stage.note]
		a.outcome, a.says = Created, "The page says: Look into your inbox."
		a.mark = path.Base(header.Get("Location"))
		return a
	}
	var body struct {
		ID      any    `json:"id"`
		Number  any    `json:"number"`
		Amount  any    `json:"amount"`
		File    any    `json:"file"`
		Version any    `json:"version"`
		Type    string `json:"type"`
		Title   string `json:"title"`
		Detail  string `json:"detail"`
	}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	if err := decoder.Decode(&body); err != nil {
		a.outcome, a.says = Refused, fmt.Sprintf("The server answered %d.", status)
		return a
	}
	again := header.Get("Idempotent-Replayed") == "true"
	switch problem := path.Base(body.Type); {
	case status < http.StatusBadRequest:
		a.outcome, a.id, a.mark = Created, fmt.Sprint(body.ID), fmt.Sprint(body.ID)
		thing := "The event was kept."
		switch {
		case body.Number != nil:
			thing = fmt.Sprintf("Invoice %v was created.", body.Number)
		case body.Amount != nil:
			thing = fmt.Sprintf("The payment of €%v was recorded.", body.Amount)
		case body.File != nil:
			thing = "The file was attached."
		case body.Version != nil:
			thing = "The change was saved."
			a.outcome, a.mark = Changed, fmt.Sprint(body.Version)
		}
		a.says = thing
		old := status == http.StatusOK && body.Number != nil // an existing invoice
		if again {
			a.outcome, a.stop, a.mark = Replayed, intent, ""
			a.says = "The first answer again: " + strings.ToLower(thing[:1]) + thing[1:]
			if old {
				a.says = "The first answer was erased, but the key is known. Here is the invoice as it is now."
			}
		} else if old {
			a.outcome, a.stop, a.mark = Reused, uniquePeriod, ""
			a.says = fmt.Sprintf("Invoice %v was there already.", body.Number)
		}
		return a
	case problem == "in-progress":
		a.outcome, a.stop = InProgress, intent
	case status == http.StatusConflict || status == http.StatusPreconditionFailed:
		a.outcome = Conflict
		a.stop = map[string]string{
			"number-taken": uniqueNumber, "changed-meanwhile": version, "exceeds-open-amount": openAmount, "file-attached": fileDigest,
		}[problem]
	case problem == "unconfirmed":
		a.outcome = Unknown
	default:
		a.outcome = Refused
	}
	a.says = body.Detail
	if a.stop == version {
		a.says = "Someone else changed this after you opened it. Nothing was overwritten: you see both versions and decide."
	}
	if a.says == "" {
		a.says = body.Title
	}
	return a
}

// met returns the layers in left that the attempt reached.
func (a answer) met(left []string) []string {
	stop := a.stop
	for _, shown := range []string{keyForLife, uniqueEvent} {
		if stop == intent && slices.Contains(left, shown) {
			stop = shown // the experiment has its own name for the layer
		}
	}
	if at := slices.Index(left, stop); at >= 0 {
		return left[:at+1]
	}
	return left
}
