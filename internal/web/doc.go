// Package web is the HTTP face of Onlyonce: pages for people and JSON for programs, over the same
// operations.
//
// A route says what a repeat of it does, and can only be registered in one of these ways (router.go):
//
//   - read: GET, no effect.
//   - keyed: an [idempotency.Operation], and nothing else. The one handler behind all of them is in
//     create.go; the two faces of an operation, form and JSON, differ in how they decode and respond.
//   - natural: a repeat leaves things as they are, with the reason why.
//
// Handlers return errors. What an error means in HTTP stands in one table (problems.go).
package web
