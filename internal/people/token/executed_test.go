package token_test

import (
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/people/token"
	"onlyonce/internal/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// TestExecutedSQL compares testdata with the statements that PostgreSQL executes.
func TestExecutedSQL(t *testing.T) {
	b := storetest.Setup(t)
	sql := b.Executed()
	made := storetest.Execute(sql, "", token.Create, uuid.Nil, 0, token.Draft{Name: "sync", Role: "member"})
	storetest.Refuse(sql, &token.NameTaken, token.Create, uuid.Nil, 0, token.Draft{Name: "sync", Role: "member"})
	storetest.Record(sql, "token", token.Table, made.ID)
	storetest.Execute(sql, "", token.Revoke, made.ID, 0, struct{}{})
}
