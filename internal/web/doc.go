// Package web serves any domain over HTTP: pages for people and JSON for programs, over the same operations. It is a kit without a domain:
// a room identifies its callers, see [Logins].
//
// What can be done with a kind of record is registered by the pages of its room, such as internal/customer/customerpages: a
// [Resource] is mounted, and [NewForm], [List], [Show], [Create], [Change], [Transition] and [Download] are attached to it. Each
// registers both formats, unless programs cannot use the resource. Package site lists the rooms. A request then goes
//
//	router.go → format_html.go or format_json.go → the operation → the answer
//
// A route can only be registered with its behaviour when repeated (router.go):
//
//   - read: GET, no effect.
//   - operation: an [idempotency.Operation], and nothing else.
//   - natural: a repeat leaves things as they are, with the reason why.
//
// Handlers return errors. One table maps them to HTTP (problems.go). The errors of a domain are of type [conflict.Error].
//
// # Behind a proxy
//
// PUBLIC_URL is the address that users type. Its scheme decides whether cookies are Secure and whether browsers are instructed to use HTTPS
// only. Forms of that site are accepted with any Host header. Its path, if there is one, is removed from requests before they are routed,
// and added to redirects, cookies and the attributes of pages that have paths: href, src, action, formaction, and data attributes whose
// names end in -url. Handlers and templates use paths without it (path.go). X-Forwarded-Proto and X-Forwarded-Host are never read.
//
// TRUSTED_PROXIES names the proxies, so that failed logins are counted for the client's address: the last one in X-Forwarded-For that is
// not a trusted proxy. Each proxy must append its peer to that header, as nginx does with $proxy_add_x_forwarded_for. The header is ignored
// if the peer is not a trusted proxy. X-Request-Id of a trusted proxy is kept too; any other request gets a random ID (answered.go).
package web
