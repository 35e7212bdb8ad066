package invoice_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/assert"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/credit"
	"onlyonce/internal/must"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
)

// TestDaysOfTheBusiness checks the days that the database compares or enters, in two time zones that never have the same day.
func TestDaysOfTheBusiness(t *testing.T) {
	b := setup(t)
	for _, zone := range []string{"Pacific/Kiritimati", "Pacific/Pago_Pago"} {
		b.Exec(`UPDATE tenants SET time_zone = $1 WHERE id = $2`, zone, b.Tenant)
		today := date.TodayIn(date.Zone(zone))
		due := func(key string, day date.Date) invoice.Invoice {
			in := of(winnerEmail)
			in.IssueDate, in.DueDate = today.AddDays(-30).String(), day.String()
			inv := b.mustCreate(zone+key, draft(t, in))
			b.OK(invoice.Issue.Do(t.Context(), b.Store, b.Of(zone+key, inv.ID, 0), invoice.IssueDraft{}))
			return b.Find(inv)
		}
		late, timely, void := due("late", today.AddDays(-1)), due("timely", today), due("void", today)
		assert.Thatf(t, late.Overdue && !timely.Overdue, "%s: overdue: %t, %t", zone, late.Overdue, timely.Overdue)
		days := func(inv invoice.Invoice) int {
			found, err := record.Find(t.Context(), b.Store.Pool, invoice.Summaries, b.Tenant, inv.ID)
			must.OK(t, err)
			return found.Late
		}
		assert.Thatf(t, days(late) == 1 && days(timely) == 0, "%s: late: %d, %d", zone, days(late), days(timely))

		note, err := credit.Create.Do(t.Context(), b.Store, b.Intent(zone), credit.Draft{InvoiceID: timely.ID, All: true, SeenOpen: -1})
		must.OK(t, err)
		assert.Equal(t, note.Value.Date, today, zone, "a credit note without a date")

		paid, err := b.Pay(zone, late, "1.00")
		must.OK(t, err)
		b.OK(b.Remove(zone, paid))
		ledger, err := invoice.Ledger(t.Context(), b.Store.Pool, b.Tenant, late.ID, record.Page{Limit: 1})
		must.OK(t, err)
		assert.Equal(t, ledger.Rows[0].Date, today, zone, "the removal of a payment")

		must.OK(t, b.Void(zone, void))
		entered, err := record.One(t.Context(), b.Store.Pool, b.Tenant, pgx.RowTo[time.Time],
			`SELECT day FROM invoice_taxes WHERE tenant_id = @tenant_id AND kind = 'void' AND source_id = @id`,
			pgx.NamedArgs{"id": void.ID})
		must.OK(t, err)
		assert.Equal(t, date.Of(entered), today, zone, "the tax of a void invoice")
	}
}
