package apiverdict

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/go-openapi/jsonpointer"
)

// id returns the id of the record in an answer.
func (t *trial) id(r reply) (string, error) {
	found, err := at(r.body, t.Create.ID)
	if err != nil {
		return "", fmt.Errorf("the id in the answer %s: %w", r.beginning(), err)
	}
	return fmt.Sprint(found), nil
}

// count returns the number of records with the mark of the trial.
func (t *trial) count(ctx context.Context) (int, error) {
	n, err := t.countBy(ctx)
	if err != nil {
		return 0, fmt.Errorf("count the records: %w", err)
	}
	return n, nil
}

func (t *trial) countBy(ctx context.Context) (int, error) {
	if len(t.Count.Command) > 0 {
		var words []string
		for _, word := range t.Count.Command {
			words = append(words, strings.ReplaceAll(word, mark, t.mark))
		}
		out, err := exec.CommandContext(ctx, words[0], words[1:]...).Output()
		if err != nil {
			return 0, fmt.Errorf("%q: %w", words, err)
		}
		return number(strings.TrimSpace(string(out)))
	}
	address := t.Address + strings.ReplaceAll(t.Count.JSON, mark, t.mark)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0, fmt.Errorf("make a request: %w", err)
	}
	for name, value := range t.Headers {
		request.Header.Set(name, value)
	}
	r := read((&http.Client{Transport: t.transport, Timeout: time.Minute}).Do(request))
	if r.status != http.StatusOK {
		return 0, fmt.Errorf("%s was answered %s", address, r.beginning())
	}
	found, err := at(r.body, t.Count.At)
	if err != nil {
		return 0, err
	}
	switch found := found.(type) {
	case json.Number:
		return number(found.String())
	case []any:
		return t.withMark(found)
	default:
		return 0, fmt.Errorf("%s is neither an array nor a number in %s", t.Count.At, r.beginning())
	}
}

func number(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("%q is no number of records", text)
	}
	return n, nil
}

// withMark counts the records whose field contains the mark, or all if the description names no field.
func (t *trial) withMark(records []any) (n int, err error) {
	for _, one := range records {
		if t.Count.Field != "" {
			value, err := follow(one, t.Count.Field)
			if err != nil {
				return 0, err
			}
			if !strings.Contains(fmt.Sprint(value), t.mark) {
				continue
			}
		}
		n++
	}
	return n, nil
}

// at returns the value that a JSON Pointer refers to.
func at(text []byte, pointer string) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("this is not JSON: %w", err)
	}
	return follow(value, pointer)
}

func follow(value any, pointer string) (any, error) {
	to, err := jsonpointer.New(pointer)
	if err == nil {
		value, _, err = to.Get(value)
	}
	if err != nil || value == nil {
		return nil, fmt.Errorf("%s leads nowhere", pointer)
	}
	return value, nil
}

func records(n int) string {
	if n == 1 {
		return "1 record"
	}
	return fmt.Sprintf("%d records", n)
}
