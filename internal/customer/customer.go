// Package customer keeps the people and companies that invoices go to. A customer is known by email:
// creating one again reuses it.
package customer

import (
	"net/mail"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"onlyonce/internal/invalid"
	"onlyonce/internal/uniqueness"
)

// Customer is a customer as it is stored.
type Customer struct {
	ID        uuid.UUID `json:"id"`
	Email     string    `json:"email"`
	Name      string    `json:"name"`
	Version   int       `json:"version"`
	CreatedAt time.Time `json:"created_at"` // UTC
}

// Input is what came in, as text.
type Input struct {
	Email string `json:"email"`
	Name  string `json:"name"`
}

// Draft is a valid input: an email and a name without surrounding space.
type Draft struct {
	Email string `json:"email"`
	Name  string `json:"name"`
}

// Limits of a customer's fields, in characters.
const (
	MaxEmail = 254 // RFC 5321, section 4.5.3.1.3
	MaxName  = 200
)

// Draft checks the input. What is wrong is added to problems, with pointers below prefix.
func (in Input) Draft(prefix string, problems *invalid.Error) Draft {
	d := Draft{Email: strings.TrimSpace(in.Email), Name: strings.Join(strings.Fields(in.Name), " ")}
	switch address, err := mail.ParseAddress(d.Email); {
	case d.Email == "":
		problems.Add(prefix+"/email", "Enter the customer's email address.")
	case err != nil || address.Address != d.Email || len(d.Email) > MaxEmail:
		problems.Add(prefix+"/email", "Enter an email address like name@example.com.")
	}
	switch {
	case d.Name == "":
		problems.Add(prefix+"/name", "Enter the customer's name.")
	case utf8.RuneCountInString(d.Name) > MaxName:
		problems.Add(prefix+"/name", "Shorten the name to at most 200 characters.")
	case !isText(d.Name):
		problems.Add(prefix+"/name", "Remove the characters that cannot be shown.")
	}
	return d
}

func isText(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// Rules are the uniqueness rules of customers.
func Rules() []uniqueness.Rule {
	return []uniqueness.Rule{
		{
			Constraint: "customers_email_once",
			Sentence:   "One customer per email address in each tenant, in capitals or not.",
			Answer:     "The existing customer is reused, unchanged.",
		},
		{
			Constraint: "customers_one_per_intent",
			Sentence:   "One idempotency key creates one customer, for life.",
			Answer:     "The customer that the first attempt created is shown.",
		},
	}
}
