package apiverdict

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
)

// mark is the placeholder in a description for a word that no other record contains.
const mark = "{mark}"

// Description describes an API to the checks. In headers, ${NAME} is replaced by an environment variable.
type Description struct {
	Schema  string            `json:"$schema"` // for editors
	Name    string            `json:"name"`
	Address string            `json:"address"` // such as https://staging.example.com, without a path
	Replica string            `json:"replica"` // address of another process with the same data; may be ""
	Headers map[string]string `json:"headers"`
	// OtherAccount has the headers for a second account, in place of Headers. It may be empty.
	OtherAccount map[string]string `json:"other_account"`
	KeyHeader    string            `json:"key_header"` // "" for Idempotency-Key
	KeyQuoted    bool              `json:"key_quoted"` // as in section 2.1 of the draft
	Create       Create            `json:"create"`
	Count        Count             `json:"count"`
	Restart      []string          `json:"restart"` // a command that restarts the API; may be empty
	NotClaimed   []string          `json:"not_claimed"`
}

// Create is the request that creates a record.
type Create struct {
	Method  string          `json:"method"` // "" for POST
	Path    string          `json:"path"`
	Body    json.RawMessage `json:"body"`    // contains the mark
	ID      string          `json:"id"`      // JSON Pointer to the record's id in the answer
	Invalid json.RawMessage `json:"invalid"` // a body that is refused; may be empty
}

// Count defines how to count the records with a mark: in JSON, or by a command that prints their number.
type Count struct {
	JSON    string   `json:"json"`  // a path
	At      string   `json:"at"`    // JSON Pointer to an array of records, or to their number
	Field   string   `json:"field"` // JSON Pointer in a record to the text with the mark; "" if the array has no other records
	Command []string `json:"command"`
}

// Read reads a description.
func Read(file string) (*Description, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.DisallowUnknownFields()
	d := &Description{}
	if err := decoder.Decode(d); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	d.KeyHeader = cmp.Or(d.KeyHeader, "Idempotency-Key")
	d.Create.Method = cmp.Or(d.Create.Method, http.MethodPost)
	if wrong := d.wrong(); wrong != "" {
		return nil, fmt.Errorf("%s: %s", file, wrong)
	}
	for _, headers := range []map[string]string{d.Headers, d.OtherAccount} {
		if err := expand(headers); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return d, nil
}

// wrong describes the first mistake in the description, or returns "".
func (d *Description) wrong() string {
	switch {
	case !isAddress(d.Address):
		return fmt.Sprintf("the address %q is not like http://127.0.0.1:3000", d.Address)
	case d.Replica != "" && !isAddress(d.Replica):
		return fmt.Sprintf("the replica %q is not like http://127.0.0.1:3001", d.Replica)
	case !strings.HasPrefix(d.Create.Path, "/"):
		return fmt.Sprintf("the path of create is %q, and must begin with /", d.Create.Path)
	case !strings.Contains(string(d.Create.Body), mark):
		return "the body of create needs a text with " + mark
	case !strings.HasPrefix(d.Create.ID, "/"):
		return fmt.Sprintf("the id of create is %q, and must be a JSON Pointer such as /id", d.Create.ID)
	case (d.Count.JSON == "") == (len(d.Count.Command) == 0):
		return "count needs either json or a command"
	case d.Count.Field == "" && !strings.Contains(d.Count.JSON+strings.Join(d.Count.Command, " "), mark):
		return "count needs " + mark + " in its path or command, or the field that contains it"
	}
	for _, name := range d.NotClaimed {
		if !slices.ContainsFunc(questions(), func(q question) bool { return q.name == name }) {
			return fmt.Sprintf("not_claimed has %q, which is no question: they are %s", name, strings.Join(names(), ", "))
		}
	}
	return ""
}

func isAddress(address string) bool {
	at, err := url.Parse(address)
	return err == nil && (at.Scheme == "http" || at.Scheme == "https") && at.Host != "" && at.Path == ""
}

// secret matches the names of headers with credentials.
var secret = regexp.MustCompile(`(?i)auth|cookie|token|secret|api-?key`)

// expand replaces environment variables in headers. A secret must come from one.
func expand(headers map[string]string) error {
	for name, value := range headers {
		missing := ""
		headers[name] = os.Expand(value, func(variable string) string {
			text, set := os.LookupEnv(variable)
			if !set {
				missing = variable
			}
			return text
		})
		switch {
		case missing != "":
			return fmt.Errorf("the variable %s of the header %s is not set", missing, name)
		case secret.MatchString(name) && !strings.Contains(value, "$"):
			return fmt.Errorf("the header %s is a secret: write it as ${NAME}, and set the variable NAME", name)
		}
	}
	return nil
}
