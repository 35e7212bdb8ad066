package scenario

import "fmt"

// Differences returns a line for each incident whose verdict is another than in an earlier run. Incidents that only one run has are
// ignored.
func (k *Kept) Differences(earlier *Kept) (lines []string) {
	before := map[string]string{}
	for _, one := range earlier.cases() {
		before[one.Name] = one.Verdict
	}
	for _, one := range k.cases() {
		if was := before[one.Name]; was != "" && was != one.Verdict {
			lines = append(lines, fmt.Sprintf("%s: %s, before: %s", one.Name, one.Verdict, was))
		}
	}
	return lines
}
