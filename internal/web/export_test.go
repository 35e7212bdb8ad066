package web

import "golang.org/x/sync/semaphore"

// The numbers of places that tests take.
const (
	RequestsAtOnce  = requestsAtOnce
	StrangersAtOnce = strangersAtOnce
	LargeAtOnce     = largeAtOnce
)

// Places are the places of a server.
type Places struct{ Requests, Strangers, Large *semaphore.Weighted }

// Places returns the places of a server.
func (s *Server) Places() Places { return Places{s.requests, s.strangers, s.large} }
