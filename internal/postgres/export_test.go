package postgres

// What tests from outside the package cannot bring about by honest means.
var (
	CheckServerVersion = checkServerVersion
	Clock              = clock
	ExplainPooler      = explainPooler
)

// Substitute is the directory that stands for dir when root's server cannot reach dir.
func Substitute(dir string) string { return systemDir + "/" + nameOf(dir) }
