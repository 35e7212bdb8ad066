package templates

// Lab is the page that lists the experiments.
type Lab struct {
	Experiments []LabCard
	// Links are the other pages of the lab.
	Links []Link
}

// LabCard is an experiment in the list.
type LabCard struct {
	Title  string
	Href   string
	Story  string
	Layers string // that can be taken away: "the form lock, the intent"
}

// LabExperiment is the page that asks for a guess, and runs the experiment.
type LabExperiment struct {
	Title    string
	Story    string
	Question string
	Guesses  []string
	Guess    string // the one that is chosen; "" for none
	Layers   []LabLayer
	// Action is where the form is sent, and Run names the run that it makes, however often it is sent.
	Action string
	Run    string
	// FormLock says that the browser tries its own form lock first, and sends what it let through.
	FormLock bool
	Takeaway LabTakeaway
}

// LabLayer is a layer of protection that can be taken away.
type LabLayer struct {
	Slug    string
	Name    string // "the intent"
	Removed string // what exactly is taken away, in a sentence
	Away    bool
}

// LabTakeaway is the experiment outside the lab.
type LabTakeaway struct {
	Scenario LabCode
	Curl     string
	SQL      string
	Code     []LabCode
}

// LabCode is an excerpt of this program.
type LabCode struct {
	Place string // "claim_intent in migrations/00002_intents.sql"
	Lines string
}

// LabRun is a run, as far as it is.
type LabRun struct {
	Title string
	// Milestone is how far it is, in a sentence, for those who listen too.
	Milestone string
	// Over says that nothing comes any more. Problem says why it failed then; "" if it did not.
	Over    bool
	Problem string
	// Verdict says what came out. Right says whether it is what the visitor guessed; nil if they did not guess.
	Verdict string
	Right   *bool
	Sides   []LabSide

	Events   string // the address of what happens while it runs
	Picture  string // the address of its picture
	Again    string // the address of the experiment, with the same layers taken away
	Repeat   string // the whole of that address
	FormLock bool   // as in LabExperiment
	Without  []LabWithout
	Takeaway LabTakeaway
}

// LabWithout runs the same experiment with one more layer taken away, or with all of them.
type LabWithout struct {
	Action string
	Text   string // "Run it without the intent"
	Fields []Field
}

// LabSide is the experiment in one database.
type LabSide struct {
	Title    string // "With all layers", "Without the intent"
	Attempts string // "50 attempts"
	Things   string // "1 invoice"
	Money    string // "€123.00"; "" where no money is at stake
	Meant    string // what it should have been, if it is something else: "€123.00"
	Why      string // who stopped the others
	Bad      bool   // there is more than with all layers
	Gates    []LabGate
	Lanes    []LabLane
	Events   []string // "80 ms: The server was killed."
	// SQL is the question to the database, and Columns and Rows its answer; "" until it was asked.
	SQL     string
	Columns []string
	Rows    [][]string
}

// LabGate is a layer in the picture.
type LabGate struct {
	Name string // "intent"
	Away bool
}

// LabEnd is how a lane ends.
type LabEnd string

// The ends of a lane.
const (
	LabRunning LabEnd = "running"
	LabStopped LabEnd = "stopped" // at a gate
	LabLost    LabEnd = "lost"    // nobody knows where: there was no answer, and there is no row
	LabMade    LabEnd = "made"    // a row
)

// LabLane is one attempt.
type LabLane struct {
	Who     string // "Click 3"
	Key     string
	Request string
	Answer  string // "201 created"
	Took    string // "18 ms"; "" if it was not sent
	Says    string // what the person or the program is told
	Stopped string // the gate that stopped it: "the intent"
	// Gates are the gates that it met, by their places in LabSide.Gates, from 0, in order.
	Gates []int
	End   LabEnd
	Row   int  // the number of the row that it made, or 0
	Extra bool // the row is one that would not be there with all layers
}
