package web

import "net/http"

// Bounds of what a request may hold.
const (
	// maxBody is the largest body, in bytes.
	maxBody = 1 << 20
	// maxRepeats is how many elements an array may have, and how many fields of a form one name. It is more
	// than an invoice may have lines: whoever has some too many is told so beside them.
	maxRepeats = 500
)

func limitBody(next http.Handler) http.Handler { return http.MaxBytesHandler(next, maxBody) }
