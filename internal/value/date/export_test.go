package date

// Aliases returns the time zones by their other names.
func Aliases() map[string]string { return aliases() }
