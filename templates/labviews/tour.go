package labviews

import "strconv"

// TourSteps is how many steps the tour of the lab has.
const TourSteps = 4

// TourStrip is where somebody is in the tour, on a page that it leads to.
type TourStrip struct {
	Step     int
	Place    TourPlace
	NextHref string
	EndHref  string
}

// TourPlace is what a page has to do with a step of the tour.
type TourPlace int

// The places of a step.
const (
	TourElsewhere TourPlace = iota
	TourBefore              // there is something to do there
	TourBehind              // it was done
)

func (v TourStrip) text() string {
	switch text := tourTexts()[v.Step-1]; v.Place {
	case TourBefore:
		return text.before
	case TourBehind:
		return text.behind
	default:
		return "The next step leads back to the tour."
	}
}

// tourText says what a step of the tour is about.
type tourText struct {
	title, text, button string
	before, behind      string // what the strip says
}

func tourTexts() [TourSteps]tourText {
	return [TourSteps]tourText{
		{
			title: "Press the button five times", button: "Open the form",
			text:   "You get the ordinary form of an invoice, filled in. Press Create invoice five times, as fast as you can.",
			before: "Press Create invoice five times, as fast as you can.",
			behind: "One invoice, however often you pressed. Its history has the key that saw to it.",
		},
		{
			title: "The same without protection", button: "Take the layers away",
			text: "Five clicks again, in a database of your own that is thrown away: once with all layers, and once without the form " +
				"lock and the intent. Say first how many invoices there will be.",
			before: "Say how many invoices there will be, and run it.",
			behind: "One invoice with all layers. Beside it, what becomes of the same clicks without them.",
		},
		{
			title: "The answer gets lost", button: "Open the form",
			text: "The server saves your invoice, and then breaks the connection instead of answering. Nobody knows whether it was " +
				"saved, so browsers send a form again, and people too.",
			before: "Press Create invoice once. Should your browser show an error page, reload it and send the form again.",
			behind: "The answer was lost, and the form came again: there is still one invoice.",
		},
		{
			title: "Where it stands, and how to fork it", button: "Go to the lab",
			text: "Three layers, because none is enough. Each experiment of the lab shows the lines that stopped it.",
		},
	}
}

func tourStepOf(step int) string {
	return "Step " + strconv.Itoa(step) + " of " + strconv.Itoa(TourSteps)
}

// Place is a place in this repository.
type Place struct{ Layer, Stops, File, Name string }

// TourPlaces is where the three layers stand.
func TourPlaces() []Place {
	return []Place{
		{"The form lock", "a second click", "static/submit-guard.js", "lock"},
		{"The intent", "every repeat of the same wish", "internal/idempotency/do.go", "Do"},
		{"Its claim", "two of them at the same instant", "migrations/00102_intents.sql", "claim_intent"},
		{"The unique number", "two wishes for the same thing", "migrations/00107_invoices.sql", "invoices_number_once_per_year"},
	}
}
