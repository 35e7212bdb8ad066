package app

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

const (
	// inFile is the suffix of a variable that has the path of a file with the value.
	inFile = "_FILE"
	// maxFile is the most bytes of such a file.
	maxFile = 64 << 10
)

// lookUp returns the value of a variable, or the content of the file that NAME_FILE names. The error never repeats the value.
func lookUp(getenv func(string) string, name string) (string, error) {
	value, path := getenv(name), getenv(name+inFile)
	switch {
	case value != "" && path != "":
		return "", fmt.Errorf("%s%s is set too: leave one of them out", name, inFile)
	case path != "":
		content, err := readFile(path)
		if err != nil {
			return "", fmt.Errorf("read the file that %s%s names: %w", name, inFile, err)
		}
		value = strings.TrimRight(content, "\r\n")
	}
	switch first := strings.IndexAny(value, `"'`); {
	case strings.HasSuffix(value, "\r"):
		return "", errors.New("it ends with a carriage return: save the file that it comes from with Unix line ends")
	case first == 0 && len(value) > 1 && value[0] == value[len(value)-1]:
		return "", errors.New("its quotation marks are a part of it: leave them out, as nothing removes them")
	}
	return value, nil
}

func readFile(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	switch {
	case err != nil:
		return "", err //nolint:wrapcheck // it names the path
	case len(content) > maxFile:
		return "", fmt.Errorf("%s has more than %d bytes", path, maxFile)
	}
	return string(content), nil
}

// Misspelt returns a warning for each variable of an environment, in the format of [os.Environ], that is probably a misspelt
// one of the app's.
func Misspelt(environ []string) (warnings []error) {
	var known []string
	for _, s := range settings() {
		known = append(known, s.name, s.name+inFile)
	}
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		if slices.Contains(known, name) {
			continue
		}
		if i := slices.IndexFunc(known, func(meant string) bool { return likely(name, meant) }); i >= 0 {
			warnings = append(warnings, fmt.Errorf("environment variable %s is unknown and does nothing: is %s meant?", name, known[i]))
		}
	}
	return warnings
}

// likely reports whether a name differs from another one by case or by a typing error. A short name has too many neighbours.
func likely(name, meant string) bool {
	return levenshtein.ComputeDistance(strings.ToUpper(name), meant) <= min(2, (len(meant)-2)/4)
}
