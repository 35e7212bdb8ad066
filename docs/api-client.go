// Package docs has what the running app shows of this directory.
package docs

import "embed"

// Clients are programs that create an invoice once, whatever happens to the answers, and the invoice.
//
//go:embed api-client
var Clients embed.FS
