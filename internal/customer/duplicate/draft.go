package duplicate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"onlyonce/internal/invalid"
)

// MergeInput is the input of a merge as text.
type MergeInput struct {
	Customers []SeenInput `json:"customers" doc:"The IDs of 2 to 20 records, including the one that stays."`
	WinnerID  string      `json:"winner_id" format:"uuid" doc:"The one that stays."`
}

// SeenInput is a customer in the version that was seen.
type SeenInput struct {
	ID      string `json:"id" format:"uuid"`
	Version int32  `json:"version"`
}

// MergeDraft is the command that merges customers.
type MergeDraft struct {
	Winner    uuid.UUID   `json:"winner"`
	Customers []uuid.UUID `json:"customers"` // including the winner, sorted
	// Versions has the versions that were seen, in the same order.
	Versions []int32 `json:"-"`
}

// Draft checks the input. It returns an [*invalid.Error] with all mistakes.
func (in MergeInput) Draft() (d MergeDraft, err error) {
	var problems invalid.Error
	texts := make([]string, len(in.Customers))
	for i, c := range in.Customers {
		texts[i] = c.ID
	}
	d.Customers = CheckIDs("/customers", "customer", texts, &problems)
	d.Versions = make([]int32, len(d.Customers))
	for _, c := range in.Customers {
		if i := slices.Index(d.Customers, parsed(c.ID)); i >= 0 {
			d.Versions[i] = c.Version
		}
	}
	d.Winner = parsed(in.WinnerID)
	switch {
	case d.Winner == uuid.Nil:
		problems.Add("/winner_id", "Choose the customer that stays.")
	case len(d.Customers) > 0 && !slices.Contains(d.Customers, d.Winner):
		problems.Add("/winner_id", "Choose one of the customers to merge.")
	}
	return d, problems.Err()
}

// ApartInput is the input of a distinction as text.
type ApartInput struct {
	Customers []string `json:"customer_ids" doc:"The IDs of 2 to 20 records that are all different from each other."`
}

// ApartDraft is the command that stores customers as no duplicates.
type ApartDraft struct {
	Customers []uuid.UUID `json:"customers"` // sorted
}

// Draft checks the input. It returns an [*invalid.Error] with all mistakes.
func (in ApartInput) Draft() (ApartDraft, error) {
	var problems invalid.Error
	d := ApartDraft{Customers: CheckIDs("/customer_ids", "customer", in.Customers, &problems)}
	return d, problems.Err()
}

// CheckIDs parses and sorts the ids of records, so that their order does not make another command. It adds mistakes to problems; one is
// the noun for a record.
func CheckIDs(pointer, one string, typed []string, problems *invalid.Error) (ids []uuid.UUID) {
	for i, text := range typed {
		id := parsed(text)
		switch {
		case id == uuid.Nil:
			problems.Add(pointer+"/"+strconv.Itoa(i), "Send the id of each "+one+".")
		case slices.Contains(ids, id):
			problems.Add(pointer+"/"+strconv.Itoa(i), "This "+one+" came twice.")
		}
		ids = append(ids, id)
	}
	if len(typed) < 2 || len(typed) > MaxCustomers {
		problems.Add(pointer, fmt.Sprintf("Choose 2 to %d %ss.", MaxCustomers, one))
	}
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return strings.Compare(a.String(), b.String()) })
	return ids
}

// parsed parses an id, or returns [uuid.Nil].
func parsed(text string) uuid.UUID {
	id, err := uuid.Parse(strings.TrimSpace(text))
	if err != nil {
		return uuid.Nil
	}
	return id
}
