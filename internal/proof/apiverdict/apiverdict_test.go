package apiverdict

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
)

// asked starts a shop with two replicas, and returns its description.
func asked(t *testing.T, fault string, start func(*httptest.Server)) (*Description, *http.Transport) {
	t.Helper()
	stopped := filepath.Join(t.TempDir(), "stopped")
	all := newShop(fault, stopped)
	var addresses []string
	var transport *http.Transport
	for _, name := range []string{"one", "two"} {
		server := httptest.NewUnstartedServer(all.replica(name))
		start(server)
		t.Cleanup(server.Close)
		addresses = append(addresses, server.URL)
		transport = server.Client().Transport.(*http.Transport)
	}
	return &Description{
		Name: "notes", Address: addresses[0], Replica: addresses[1], KeyHeader: "Idempotency-Key",
		Headers: map[string]string{"Authorization": "ada"}, OtherAccount: map[string]string{"Authorization": "eve"},
		Create: Create{
			Method: http.MethodPost, Path: "/notes", ID: "/id", Body: []byte(`{"text": "Hello {mark}"}`), Invalid: []byte(`{"text": ""}`),
		},
		Count: Count{JSON: "/notes", At: "/notes", Field: "/text"}, Restart: []string{"touch", stopped},
	}, transport
}

// verdicts returns the names of the questions by verdict, and the exit code.
func verdicts(t *testing.T, d *Description, transport *http.Transport) (found map[string][]string, code int, text string) {
	t.Helper()
	text, code, err := Run(t.Context(), d, transport)
	must.OK(t, err)
	found = map[string][]string{}
	rows := strings.Split(text, "\n")[2:]
	for i, q := range questions() {
		verdict := strings.Split(rows[i], " | ")[1]
		found[verdict] = append(found[verdict], q.name)
	}
	return found, code, text
}

func TestARightAPIDoesAll(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(*httptest.Server){
		"http": (*httptest.Server).Start, "https": (*httptest.Server).StartTLS,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, transport := asked(t, "", start)
			found, code, text := verdicts(t, d, transport)
			assert.Thatf(t, code == AsWanted && len(found[does]) == len(questions()), "exit code %d\n%s", code, text)
		})
	}
}

// TestEachFaultIsFound checks for each fault that exactly these verdicts are against the API, and the evidence of the first.
func TestEachFaultIsFound(t *testing.T) {
	t.Parallel()
	for fault, c := range map[string]struct {
		against  []string
		evidence string
	}{
		keyOptional: {[]string{"key-missing"}, "201, 1 record"},
		emptyIsAKey: {[]string{"key-empty"}, "201, 1 record"},
		cutsKeys:    {[]string{"key-long"}, "two such keys, each twice: 201, 201, 422, 422; 1 record and 0 records"},
		noKeys: {
			[]string{"repeat", "other-payload", "at-once", "replicas", "answer-lost", "restart"}, "201, then 201, another body, 2 records",
		},
		createsAgain: {
			[]string{"repeat", "other-payload", "at-once", "replicas", "answer-lost", "restart"}, "201, then 201, the same body, 2 records",
		},
		onlyStatus:   {[]string{"repeat", "at-once", "replicas", "restart"}, "201, then 201, another body, 1 record"},
		forgetsBody:  {[]string{"other-payload"}, "201 with the answer to the first, 1 record of the first and 0 of the other"},
		fails:        {[]string{"at-once"}, "1 record, 1 × 201, 9 × 500"},
		looksFirst:   {[]string{"at-once"}, "10 records, 10 × 201"},
		ownMemory:    {[]string{"replicas"}, "one after the other: 201, then 201, another body, 2 records"},
		oneAccount:   {[]string{"other-account"}, "201, then 201, the id of the first"},
		keepsRefusal: {[]string{"refused"}, "422, then corrected 422, 0 records"},
		forgets:      {[]string{"restart"}, "201, then 201, another body, 2 records"},
		anyCharacter: {[]string{"key-control"}, "201, 1 record"},
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			d, transport := asked(t, fault, (*httptest.Server).Start)
			if fault == fails || fault == looksFirst { // no other question sends two requests at once
				d.NotClaimed = slices.DeleteFunc(names(), func(name string) bool { return name == "at-once" })
			}
			found, code, text := verdicts(t, d, transport)
			assert.Thatf(t, code == AgainstTheAPI && slices.Equal(found[doesNot], c.against) && len(found[none]) == 0 &&
				strings.Contains(text, "| does not | "+c.evidence), "exit code %d, want %q and %q\n%s", code, c.against, c.evidence, text)
		})
	}
}

// TestWithoutAVerdict checks that a question without its field in the description is not claimed, and that a wrong description is
// no verdict against the API.
func TestWithoutAVerdict(t *testing.T) {
	t.Parallel()
	d, transport := asked(t, "", (*httptest.Server).Start)
	d.Replica, d.OtherAccount, d.Create.Invalid, d.Restart, d.NotClaimed = "", nil, nil, nil, []string{"key-missing"}
	found, code, text := verdicts(t, d, transport)
	if want := []string{"key-missing", "replicas", "other-account", "refused", "restart"}; code != AsWanted ||
		!slices.Equal(found[notClaimed], want) || !strings.Contains(text, "the description has no create.invalid") {
		t.Errorf("exit code %d, want not claimed: %q\n%s", code, want, text)
	}

	d, transport = asked(t, "", (*httptest.Server).Start)
	d.OtherAccount, d.Create.Invalid, d.Restart = map[string]string{"Authorization": ""}, []byte(`{"text": "fine"}`), []string{"false"}
	found, code, text = verdicts(t, d, transport)
	if want := []string{"other-account", "refused", "restart"}; code != NoVerdict || !slices.Equal(found[none], want) {
		t.Errorf("exit code %d, want no verdict: %q\n%s", code, want, text)
	}
}

// TestDescriptionIsTriedFirst checks that no question is asked if the description does not fit the API.
func TestDescriptionIsTriedFirst(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*Description){
		"the create was answered 404":       func(d *Description) { d.Create.Path = "/note" },
		"/number leads nowhere":             func(d *Description) { d.Create.ID = "/number" },
		"/rows leads nowhere":               func(d *Description) { d.Count.At = "/rows" },
		"/title leads nowhere":              func(d *Description) { d.Count.Field = "/title" },
		" is neither an array nor a number": func(d *Description) { d.Count.At = "" },
		"after 1 creates count finds 0":     func(d *Description) { d.Count.Command, d.Count.JSON = []string{"echo", "0"}, "" },
		`"no" is no number`:                 func(d *Description) { d.Count.Command, d.Count.JSON = []string{"echo", "no"}, "" },
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			d, transport := asked(t, "", (*httptest.Server).Start)
			change(d)
			text, code, err := Run(t.Context(), d, transport)
			assert.Thatf(t, code == NoVerdict && text == "" && err != nil && strings.Contains(err.Error(), want),
				"exit code %d, %v, want %q\n%s", code, err, want, text)
		})
	}
}
