package apiverdict

import "context"

// question is one check of an API.
type question struct {
	name  string                                        // for not_claimed
	text  string                                        // the correct behaviour
	needs string                                        // a field of the description that it needs and that may be empty; "" for none
	ask   func(*trial, context.Context) (answer, error) // returns an error if there is no verdict
}

// answer is the observed behaviour.
type answer struct {
	right    bool
	evidence string
}

func questions() []question {
	return []question{
		{"key-missing", "refuses a create without a key", "", (*trial).keyMissing},
		{"key-empty", "refuses an empty key", "", (*trial).keyEmpty},
		{"key-long", "refuses a key of 300 characters, or knows all of it", "", (*trial).keyLong},
		{"key-control", "refuses a key with a control character", "", (*trial).keyControl},
		{"repeat", "answers a repeat as the first time", "", (*trial).repeat},
		{"other-payload", "refuses another payload with the key", "", (*trial).otherPayload},
		{"at-once", "creates one record from ten requests at once", "", (*trial).atOnce},
		{"replicas", "does the same on two replicas", "replica", (*trial).replicas},
		{"other-account", "shows no other account the answer", "other_account", (*trial).otherAccount},
		{"refused", "takes the key again after a refusal", "create.invalid", (*trial).refused},
		{"answer-lost", "creates one record when the answer is lost and the request is repeated", "", (*trial).answerLost},
		{"restart", "answers a repeat after a restart as the first time", "restart", (*trial).restarted},
	}
}

func names() (names []string) {
	for _, q := range questions() {
		names = append(names, q.name)
	}
	return names
}
