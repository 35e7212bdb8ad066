package user_test

import (
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/people/user"
)

// TestExecutedSQL compares testdata with the statements that PostgreSQL executes.
func TestExecutedSQL(t *testing.T) {
	b := setup(t)
	b.owner("owner")
	sql := b.Executed()
	d := user.Draft{Email: "ada@example.com", Role: "member"}
	ada := storetest.Execute(sql, "", user.Create, uuid.Nil, 0, d)
	d.Name = "Ada"
	storetest.Execute(sql, "", user.Edit, ada.ID, ada.Version, d)
	storetest.Execute(sql, "", user.Uninvite, ada.ID, 0, struct{}{})
	storetest.Execute(sql, "with an email", user.Invite, ada.ID, 0, user.Invitation{Send: true})
	storetest.Execute(sql, "", user.Disable, ada.ID, 0, struct{}{})
	storetest.Execute(sql, "", user.Enable, ada.ID, 0, struct{}{})
	storetest.Record(sql, "user", user.Table, ada.ID)
}
