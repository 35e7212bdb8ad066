package bench

import (
	"cmp"
	"fmt"
)

// tolerance is how much worse a median must be to count. These machines are shared, and a ratio of two
// medians moves by a tenth without any reason of ours.
const tolerance = 0.10

// Worse lists in a sentence each what got worse since an earlier run: the medians differ by more than a
// tenth, and not even the best round of now reaches the median of then.
func (r Report) Worse(before Report) []string {
	earlier := map[string]Figure{}
	for _, f := range before.Figures {
		earlier[f.Name] = f
	}
	var worse []string
	for _, now := range r.Figures {
		then, known := earlier[now.Name]
		if !known || !declined(now, then) {
			continue
		}
		what := now.Unit
		if now.Baseline != "" {
			what = "of " + now.Baseline
		}
		worse = append(worse, fmt.Sprintf("%s: %s %s, was %s", now.Name, amount(now.judged().Median), what, amount(then.judged().Median)))
	}
	return worse
}

// Differs lists in a sentence each what else changed since an earlier run, and may be why figures did.
func (r Report) Differs(before Report) []string {
	var changed []string
	if r.PostgreSQL != before.PostgreSQL {
		changed = append(changed, fmt.Sprintf("PostgreSQL is %s, was %s", r.PostgreSQL, cmp.Or(before.PostgreSQL, "not recorded")))
	}
	if r.Machine != before.Machine {
		changed = append(changed, fmt.Sprintf("the machine is %s, was %s", r.Machine, before.Machine))
	}
	return changed
}

func declined(now, then Figure) bool {
	is, was := now.judged(), then.judged()
	if now.moreIsBetter() {
		return is.Median < was.Median*(1-tolerance) && is.Max < was.Median
	}
	return is.Median > was.Median*(1+tolerance) && is.Min > was.Median
}
