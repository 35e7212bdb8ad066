package schedule

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/postgres"
	"onlyonce/internal/value/date"
)

// The bounds of one run. What is left is due in the next one.
const (
	perRound = 100 // schedules, of each of which one period is billed
	rounds   = 10
)

// retry is how long a schedule that could not be billed waits.
const retry = time.Hour

// Clockwork bills what is due. Any number of them may run at once, on any number of replicas, each by its own clock.
type Clockwork struct {
	Store *idempotency.Store
	// Now is the clock.
	Now func() time.Time
}

// Run bills the periods of a tenant that are due, each once. What cannot be billed is noted on its schedule and keeps no other from
// being billed. The error is that of a database that could not be asked: then the next run goes on where this one stopped. Else it is the
// first error that the tenant cannot mend.
func (c Clockwork) Run(ctx context.Context, tenant uuid.UUID) error {
	var unexplained error
	for range rounds {
		now := c.Now()
		found, err := due(ctx, c.Store.Pool, tenant, now, perRound)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			break
		}
		for _, s := range found {
			period, is := s.Due(date.Of(now.UTC()))
			if !is {
				continue // the row that led here is older than the schedule
			}
			failed, err := c.bill(ctx, tenant, Billing{s.ID, period}, now)
			if err != nil {
				return err
			}
			if unexplained == nil {
				unexplained = failed
			}
		}
	}
	return unexplained
}

// bill notes why a period could not be billed, and returns that as unexplained if the tenant cannot mend it. It returns err if the
// database could not be asked.
func (c Clockwork) bill(ctx context.Context, tenant uuid.UUID, b Billing, now time.Time) (unexplained, err error) {
	key, err := idempotency.ParseKey(fmt.Sprintf("schedule %s %s", b.ScheduleID, b.Period)) // the same on each replica, and in each attempt
	if err != nil {
		return nil, err
	}
	_, failed := BillDue.Do(ctx, c.Store, idempotency.Intent{Tenant: tenant, Key: key, Actor: "schedule"}, b)
	switch {
	case failed == nil, changedMeanwhile(failed):
		return nil, nil
	case slices.ContainsFunc(transient(), func(e error) bool { return errors.Is(failed, e) }):
		return nil, failed
	}
	why, explained := reason(failed)
	err = postgres.InTenant(ctx, c.Store.Pool, tenant, func(tx pgx.Tx) error { return noteFailure(ctx, tx, tenant, b, now, why) })
	if explained {
		return nil, err
	}
	return failed, err
}

// changedMeanwhile reports whether a period was not billed because the schedule is another one than when it was read.
func changedMeanwhile(err error) bool {
	refused, isConflict := errors.AsType[*conflict.Error](err)
	wrong, isWrong := errors.AsType[*invalid.Error](err)
	return isConflict && refused.Kind == &Stopped || isWrong && wrong.Fields[0].Pointer == "/period"
}

// transient are the errors that say nothing about a schedule.
func transient() []error {
	return []error{
		idempotency.ErrUnavailable, idempotency.ErrBusy, idempotency.ErrInProgress, idempotency.ErrUnconfirmed,
		context.Canceled, context.DeadlineExceeded,
	}
}

// reason returns in words why a schedule could not be billed, and whether they explain it.
func reason(err error) (words string, explained bool) {
	if refused, ok := errors.AsType[*conflict.Error](err); ok {
		return refused.Title + " " + refused.Text, true
	}
	wrong, ok := errors.AsType[*invalid.Error](err)
	if !ok {
		return "It couldn't be billed. The server's log has the reason.", false
	}
	var messages []string
	for _, f := range wrong.Fields {
		messages = append(messages, f.Message)
	}
	return strings.Join(messages, " "), true
}
