package idempotency

import (
	"context"
	"errors"
	"slices"
	"strings"

	"onlyonce/internal/conflict"
	"onlyonce/internal/invalid"
)

// Transient reports whether an error of [Operation.Do] is not about the command, so that a job repeats it later.
func Transient(err error) bool {
	return slices.ContainsFunc([]error{
		ErrUnavailable, ErrBusy, ErrInProgress, ErrUnconfirmed, context.Canceled, context.DeadlineExceeded,
	}, func(transient error) bool { return errors.Is(err, transient) })
}

// Refusal returns why a command was refused, in sentences, and whether the error explains it.
func Refusal(err error) (sentences string, explained bool) {
	if refused, ok := errors.AsType[*conflict.Error](err); ok {
		return refused.Title + " " + refused.Text, true
	}
	wrong, ok := errors.AsType[*invalid.Error](err)
	if !ok {
		return "", false
	}
	var messages []string
	for _, f := range wrong.Fields {
		messages = append(messages, f.Message)
	}
	return strings.Join(messages, " "), true
}
