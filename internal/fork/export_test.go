package fork

// Paths are those of a part.
func Paths(part string) []string { return parts()[part].paths }
