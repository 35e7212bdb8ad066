package duplicate_test

import (
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/customer"
	"onlyonce/internal/customer/duplicate"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/must"
)

// TestExecutedSQL compares testdata with the statements that PostgreSQL executes.
func TestExecutedSQL(t *testing.T) {
	b := setup(t)
	ada, byron, king := b.customer("ada@example.com", "Ada", "1"), b.customer("", "Ada", "1"), b.customer("", "Ada King", "1")
	sql := b.Executed()
	storetest.List(sql, "groups of similar customers", duplicate.List)
	ids := []string{ada.ID.String(), king.ID.String()}
	apart, err := duplicate.ApartInput{Customers: ids}.Draft()
	must.OK(t, err)
	storetest.Execute(sql, "", duplicate.KeepApart, uuid.Nil, 0, apart)
	merge := func(loser customer.Customer) duplicate.Merge {
		d, err := duplicate.MergeInput{WinnerID: ada.ID.String(), Customers: []duplicate.SeenInput{
			{ID: ada.ID.String(), Version: int32(b.now(ada).Version)}, {ID: loser.ID.String(), Version: int32(loser.Version)},
		}}.Draft()
		must.OK(t, err)
		return storetest.Execute(sql, "of "+loser.Name, duplicate.MergeCustomers, uuid.Nil, 0, d)
	}
	merge(byron)
	storetest.Execute(sql, "", duplicate.UndoMerge, merge(king).ID, 0, struct{}{})

	storetest.Pages(sql, "merges", duplicate.Merges)
	storetest.List(sql, "distinctions", duplicate.Apart)
	storetest.Find(sql, "merges into a customer", duplicate.MergesInto, ada.ID)
	storetest.Find(sql, "customers of a choice", duplicate.Customers, []uuid.UUID{ada.ID, king.ID})
	storetest.Find(sql, "references to customers", duplicate.ReferencesOf, []uuid.UUID{ada.ID, king.ID})
}
