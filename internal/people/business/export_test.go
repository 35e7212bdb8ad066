package business

// For tests.
var (
	LeftOut = leftOut
	Tables  = tables
)
