// Package web speaks HTTP for any domain: pages for people and JSON for programs, over the same operations. It is a kit, which knows
// no domain but who comes in.
//
// What can be done with a kind of record is registered by the pages of its room, such as internal/customer/customerpages: a
// [Resource] is mounted, and [NewForm], [List], [Show], [Create], [Change], [Transition] and [Download] are attached to it. Each
// registers both formats, unless programs cannot use the resource. Package site lists the rooms. A request then goes
//
//	router.go → format_html.go or format_json.go → the operation → the answer
//
// A route says what a repeat of it does, and can only be registered in one of these ways (router.go):
//
//   - read: GET, no effect.
//   - operation: an [idempotency.Operation], and nothing else.
//   - natural: a repeat leaves things as they are, with the reason why.
//
// Handlers return errors. What an error means in HTTP stands in one table (problems.go); what only one domain
// knows comes as a [conflict.Error].
//
// # Behind a proxy
//
// PUBLIC_URL is what people type to get here. Its scheme decides whether cookies are Secure and whether
// browsers are told to come by HTTPS only, and forms of that site are accepted whatever Host header the
// proxy sends. X-Forwarded-Proto and X-Forwarded-Host are never read.
//
// TRUSTED_PROXIES names the proxies, so that failed logins are counted for the address behind them: the
// last one in X-Forwarded-For that is no trusted proxy. Each proxy must append its peer to that header, as
// nginx does with $proxy_add_x_forwarded_for. From anybody else the header is ignored. X-Request-Id of a
// trusted proxy is kept too; any other request gets a random id (answered.go).
package web
