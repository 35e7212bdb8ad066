// Package sitetest tests the resources of a room against a real server and a real PostgreSQL. Only tests import it.
//
// # How to read a case
//
// A room declares its resources: a [Resource] has what the routes, operations and tables of the server don't show, such as a command that
// creates a record, a valid and an invalid value of each field, and the names of the transitions. Declarations are in a package of the
// room, such as internal/customer/customercases, because other rooms refer to them. The test of the room, such as room_test.go of
// customerpages, runs five functions:
//
//   - [Cases] runs the table of cases. A row is what can happen to an operation, such as "answer lost after commit", with the outcomes
//     of all attempts. docs/idempotency.md has the rows in the same words. Each row is a function of a [Case]: it sends commands with
//     Ask and Under, and checks the answers with the Format. Some rows run for each operation, and others for one of each kind, because
//     they don't depend on fields, statements or pages.
//   - [Checks] runs the table of checks: properties of every operation, such as that a form changes nothing by itself.
//   - [Races] sends commands to two replicas at once.
//   - [Plans] sends every request of the room to a large tenant, and checks the plan of each statement.
//   - [Main] runs the tests of the package.
//
// A [Bundle] is a new database with the tenants acme and globex, and a server. A [Case] is an operation of a resource in one [Format]:
// [HTML] is a person with a form, and [JSON] a program with the API. Both send the same commands, forms with the values that a person
// enters, and Encode of the declaration makes JSON of them. A case is prepared when it begins: its record exists, with its parents and
// the records that it refers to, and Before has the counts of all rows. So a row is short:
//
//	func alreadyDone(x *Case) {
//		first := x.Done()                                   // under the key of the case: it succeeds, and the record is shown
//		x.Format.Replayed(x, x.Ask(x.Command), first)       // the same key again: the same answer, marked
//		x.WantRows(x.Leaves)                                // and nothing more in the database
//	}
//
// # Names
//
// The name of a case is the test, the resource, the operation, the row and the format:
//
//	--- FAIL: TestEveryCase/customers/customer.edit/answer_lost_after_commit/JSON
//
// The message has the answer: its status, the Location header and the text of the page's main part, or the body. "added rows map[], want
// map[intents:1]" compares the rows of all tables since the case began. "outcomes [changed changed]" compares the attempts, as metrics
// and the list of attempts count them. Of failures with the same format, three are reported.
//
//	go test ./internal/customer/customerpages -run TestEveryCase/customers/customer.edit    # a resource, and an operation
//	go test ./internal/customer/customerpages -run '//customer.edit/answer.lost'            # a row
//	go test -short ./internal/customer/...                                                  # each case and check once, no plans
//
// A pattern that names no case fails, because it would always be green.
package sitetest
