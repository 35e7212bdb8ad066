package reminder

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/record"
)

// Plan is a stored plan of automatic reminders. A tenant has one at a time, or none.
type Plan struct {
	record.Header

	FirstAfter  int       `json:"first_after" doc:"Days after the due date."`
	SecondAfter int       `json:"second_after,omitzero" doc:"Days after the payment reminder. Left out if it isn't sent automatically."`
	FinalAfter  int       `json:"final_after,omitzero" doc:"Days after the second reminder. Left out if it isn't sent automatically."`
	RemovedAt   time.Time `json:"removed_at,omitzero" doc:"When it was removed, or replaced by another one."`
}

// Plans is the table of plans.
var Plans = record.Table[Plan]{Name: "reminder_plans", Fields: `
	'first_after', r.first_after, 'second_after', COALESCE(r.second_after, 0), 'final_after', COALESCE(r.final_after, 0),
	'removed_at', r.removed_at`}

// PlanName returns the display name of a plan: "After 7, 14 and 14 days".
func PlanName(p Plan) string {
	switch {
	case p.SecondAfter == 0 && p.FirstAfter == 1:
		return "After 1 day"
	case p.SecondAfter == 0:
		return fmt.Sprintf("After %d days", p.FirstAfter)
	case p.FinalAfter == 0:
		return fmt.Sprintf("After %d and %d days", p.FirstAfter, p.SecondAfter)
	default:
		return fmt.Sprintf("After %d, %d and %d days", p.FirstAfter, p.SecondAfter, p.FinalAfter)
	}
}

// PlanInput is the input as text.
type PlanInput struct {
	FirstAfter  string `json:"first_after" doc:"Days from the due date to the payment reminder, 1 to 365."`
	SecondAfter string `json:"second_after,omitzero" doc:"Days to the second reminder. Leave it out to send none automatically."`
	FinalAfter  string `json:"final_after,omitzero" doc:"Days to the final reminder. Leave it out to send none automatically."`
}

// PlanDraft is the command that sets the plan. The fields are days, and 0 for none.
type PlanDraft struct {
	FirstAfter  int `json:"first_after"`
	SecondAfter int `json:"second_after"`
	FinalAfter  int `json:"final_after"`
}

// Draft checks the input. It returns an [*invalid.Error] with all mistakes.
func (in PlanInput) Draft() (d PlanDraft, _ error) {
	var problems invalid.Error
	days := func(pointer, typed string) int {
		if typed = strings.TrimSpace(typed); typed == "" {
			return 0
		}
		n, err := strconv.Atoi(typed)
		if err != nil || n < 1 || n > 365 {
			problems.Add(pointer, "Enter a number of days from 1 to 365, like 14.")
			return 1
		}
		return n
	}
	d = PlanDraft{days("/first_after", in.FirstAfter), days("/second_after", in.SecondAfter), days("/final_after", in.FinalAfter)}
	if d.FirstAfter == 0 {
		problems.Add("/first_after", "Enter a number of days, like 7.")
	}
	if d.FinalAfter != 0 && d.SecondAfter == 0 {
		problems.Add("/second_after", "The final reminder needs the second one. Enter its days.")
	}
	return d, problems.Err()
}

// SetPlan sets the plan, which replaces the earlier one.
var SetPlan = idempotency.Define(idempotency.Spec[PlanDraft, Plan]{
	Kind: idempotency.Create, Name: "reminder_plan.set", Table: Plans,
	Statements: func(tx *idempotency.Tx, d PlanDraft) idempotency.Result {
		tx.Exec(`
			WITH replaced AS (
				UPDATE reminder_plans SET removed_at = now() WHERE tenant_id = @tenant_id AND settings_id = @tenant_id
				RETURNING id
			)
			INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
			SELECT @tenant_id, id, @operation, @idempotency_key, 'replaced' FROM replaced`, nil)
		tx.Exec(`
			INSERT INTO reminder_plans (tenant_id, id, first_after, second_after, final_after)
			VALUES (@tenant_id, @record_id, @first_after, NULLIF(@second_after, 0), NULLIF(@final_after, 0))`, pgx.NamedArgs{
			"first_after": d.FirstAfter, "second_after": d.SecondAfter, "final_after": d.FinalAfter,
		})
		return tx.Record()
	},
	Explain: map[string]idempotency.Explanation[PlanDraft]{
		"reminder_plans_settings": idempotency.Missing[PlanDraft], // can't happen: each tenant has settings
		"reminder_plans_one":      idempotency.Missing[PlanDraft], // another plan at once: the next send replaces it
	},
})

// RemovePlan ends a plan, unless another one has replaced it.
var RemovePlan = idempotency.Define(idempotency.Spec[struct{}, Plan]{
	Kind: idempotency.Transition, Name: "reminder_plan.remove", Table: Plans, Made: `r.removed_at IS NOT NULL`,
	Statements: func(tx *idempotency.Tx, _ struct{}) idempotency.Result {
		tx.Exec(`UPDATE reminder_plans SET removed_at = now() WHERE tenant_id = @tenant_id AND id = @record_id`, nil)
		return tx.Record()
	},
	Explain: map[string]idempotency.Explanation[struct{}]{ // can't happen: its settings become NULL
		"reminder_plans_one": idempotency.Missing[struct{}], "reminder_plans_settings": idempotency.Missing[struct{}],
	},
})

// PlanRules returns the uniqueness rules of plans.
func PlanRules() []conflict.Rule {
	return []conflict.Rule{{
		Constraint: "reminder_plans_one", Optional: true,
		Sentence: "A business has one plan of reminders at a time.",
		Answer:   "The second one replaces the first. Each invoice still gets each reminder once.",
	}}
}

// PlanList returns a page of the plans of a tenant, newest first, with removed ones.
func PlanList(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, page record.Page) (record.List[Plan], error) {
	return record.ListBy(ctx, pool, Plans, tenant, page, `true`, nil)
}
