package labpages

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"onlyonce/internal/lab"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/labviews"
)

func (s *pages) runView(r *http.Request, found lab.Result) labviews.Run {
	e := found.Experiment
	var without []string
	for _, l := range found.Without {
		without = append(without, l.Slug)
	}
	at := "/lab/runs/" + found.ID.String()
	v := labviews.Run{
		Title: e.Title, Over: found.State.Over(), Problem: found.Problem,
		Events: at + "/events", Picture: at + "/picture.svg", Again: address(e, without), Repeat: s.site.Address(r) + address(e, without),
		FormLock: hasFormLock(e), Takeaway: takeaway(e), Without: oneMore(found, without),
	}
	if guess, err := strconv.Atoi(r.URL.Query().Get(labviews.GuessField)); err == nil {
		v.Events += "?" + labviews.GuessField + "=" + strconv.Itoa(guess)
	}
	for _, side := range found.Sides {
		v.Sides = append(v.Sides, sideView(e, side, found.Sides[0]))
	}
	v.Milestone = milestone(found, v)
	if found.State == lab.Done {
		v.Verdict, v.Right = verdict(found, v.Sides, r.URL.Query().Get(labviews.GuessField))
	}
	return v
}

// verdict returns the result of the last side in a sentence, and whether the guess was right, if there is one.
func verdict(found lab.Result, sides []labviews.Side, guess string) (says string, right *bool) {
	whole, last := found.Sides[0], found.Sides[len(found.Sides)-1]
	title := sides[len(sides)-1].Title
	if n, err := strconv.Atoi(guess); err == nil {
		where := "It"
		if len(sides) > 1 {
			where = title + " it"
		}
		return fmt.Sprintf("You said %d. %s was %d.", n, where, last.Things), new(n == last.Things)
	}
	switch {
	case len(sides) == 1:
		return headline(sides[0]) + ".", nil
	case last.Things == whole.Things:
		return title + ": still " + plural(last.Things, last.Noun) + ".", nil
	default:
		return fmt.Sprintf("%s: %s instead of %d.", title, plural(last.Things, last.Noun), whole.Things), nil
	}
}

func headline(side labviews.Side) string { return side.Attempts + ", " + side.Things }

// milestone describes the progress of a run.
func milestone(found lab.Result, v labviews.Run) string {
	switch found.State {
	case lab.Waiting:
		if found.Ahead == 0 {
			return "Starting…"
		}
		return "Waiting: " + plural(found.Ahead, "run") + " of other visitors first."
	case lab.Running:
		for _, side := range v.Sides {
			if side.SQL == "" {
				return "Running " + strings.ToLower(side.Title[:1]) + side.Title[1:] + "…"
			}
		}
		return "Counting…"
	case lab.Done:
		var sides []string
		for _, side := range v.Sides {
			sides = append(sides, side.Title+": "+headline(side)+".")
		}
		return "Done. " + strings.Join(sides, " ")
	case lab.Failed:
	}
	return "This run failed. " + found.Problem
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// oneMore offers the same experiment with one more layer removed.
func oneMore(found lab.Result, without []string) (all []labviews.Without) {
	for _, l := range found.Experiment.Layers {
		if slices.Contains(without, l.Slug) {
			continue
		}
		fields := []templates.Field{{Name: labviews.RunField, Value: found.ID.String()}, {Name: labviews.SentField, Value: "0"}}
		for _, slug := range append(slices.Clone(without), l.Slug) {
			fields = append(fields, templates.Field{Name: labviews.WithoutField, Value: slug})
		}
		text := "Without " + l.Name
		if len(without) > 0 {
			text = "Also without " + l.Name
		}
		all = append(all, labviews.Without{Action: "/lab/" + found.Experiment.Slug, Text: text, Fields: fields})
	}
	return all
}

// sideView returns the view of side. whole is the side with all layers.
func sideView(e lab.Experiment, side, whole lab.Side) labviews.Side {
	v := labviews.Side{
		Title: "With all layers", Attempts: plural(len(side.Attempts), "attempt"), Things: "…", Why: "Not done yet.",
	}
	if len(side.Without) > 0 {
		v.Title = "Without " + namesOf(side.Without)
	}
	for _, l := range e.Layers {
		away := slices.ContainsFunc(side.Without, func(w lab.Layer) bool { return w.Slug == l.Slug })
		v.Gates = append(v.Gates, labviews.Gate{Name: bare(l.Name), Away: away})
	}
	for _, a := range side.Attempts {
		v.Lanes = append(v.Lanes, laneView(e, a, len(side.Without) > 0 && a.Row > whole.Things))
	}
	for _, event := range side.Events {
		v.Events = append(v.Events, fmt.Sprintf("%.0f ms: %s", event.At, event.What))
	}
	if !side.Done {
		return v
	}
	v.SQL, v.Columns, v.Rows = side.SQL, side.Columns, side.Rows
	v.Things, v.Money, v.Why = plural(side.Things, side.Noun), side.Money, why(v)
	v.Bad = side.Things != whole.Things
	if side.Money != side.Meant {
		v.Meant = side.Meant
	}
	return v
}

// bare returns the name of a layer without its article.
func bare(name string) string { return strings.TrimPrefix(strings.TrimPrefix(name, "the "), "an ") }

func laneView(e lab.Experiment, a lab.Attempt, extra bool) labviews.Lane {
	lane := labviews.Lane{
		Who: a.Who, Key: a.Key, Request: a.Request, Says: a.Says, Row: a.Row, Extra: extra, Answer: a.Outcome,
	}
	if a.Status > 0 {
		lane.Answer = strconv.Itoa(a.Status) + " " + a.Outcome
	}
	if a.Took > 0 {
		lane.Took = fmt.Sprintf("%.0f ms", a.Took)
	}
	for i, l := range e.Layers {
		if slices.Contains(a.Met, l.Slug) {
			lane.Gates = append(lane.Gates, i)
		}
	}
	switch {
	case !a.Done:
		lane.End = labviews.Running
	case a.Row > 0:
		lane.End = labviews.Made
	case a.Outcome == lab.NoAnswer, len(lane.Gates) == 0:
		lane.End = labviews.Lost
	default:
		lane.End = labviews.Stopped
		lane.Stopped = e.Layers[lane.Gates[len(lane.Gates)-1]].Name
	}
	return lane
}

// why returns a sentence on the layers that stopped the attempts without a record.
func why(v labviews.Side) string {
	stopped := map[string]int{}
	var order []string
	for _, lane := range v.Lanes {
		if lane.End == labviews.Stopped {
			if stopped[lane.Stopped] == 0 {
				order = append(order, lane.Stopped)
			}
			stopped[lane.Stopped]++
		}
	}
	var parts []string
	for _, name := range order {
		parts = append(parts, fmt.Sprintf("%s stopped %d", name, stopped[name]))
	}
	if len(parts) == 0 {
		return "Nothing stopped any of them."
	}
	return web.Capital(strings.Join(parts, ", ")) + "."
}
