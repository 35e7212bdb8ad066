package invoice

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"onlyonce/internal/idempotency"
)

// CreateIn runs the work of [Create] in the transaction of a different operation, whose intent's record is the invoice.
func CreateIn(ctx context.Context, tx pgx.Tx, operation string, i idempotency.Intent, d Draft) (inv Invoice, err error) {
	args := arguments(d)
	args["tenant_id"], args["record_id"], args["new_customer_id"] = i.Tenant, i.Record, i.ID(1)
	args["operation"], args["idempotency_key"] = operation, i.Key.String()
	if err := tx.QueryRow(ctx, insertInvoice+insertedInvoice, args).Scan(&inv); err != nil {
		return Invoice{}, fmt.Errorf("insert an invoice: %w", err)
	}
	return inv, nil
}

// IssueIn runs the work of [Issue] in the transaction of a different operation. The first mail gets the id mailID.
func IssueIn(ctx context.Context, tx pgx.Tx, operation string, i idempotency.Intent, mailID uuid.UUID) error {
	args := pgx.NamedArgs{
		"tenant_id": i.Tenant, "record_id": i.Record, "mail_id": mailID, "operation": operation, "idempotency_key": i.Key.String(),
		"message": "", "e_invoice": nil,
	}
	for _, sql := range []string{issueDraft, queueFirstMail, mailQueued} {
		changed, err := tx.Exec(ctx, sql, args)
		if err != nil {
			return fmt.Errorf("issue an invoice: %w", err)
		}
		if sql == issueDraft && changed.RowsAffected() == 0 {
			return notDraft("issue")
		}
	}
	return nil
}
