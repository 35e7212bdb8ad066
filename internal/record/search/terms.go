package search

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/record"
)

// Limits of a search.
const (
	MaxSearch = 200 // characters
	// maxTerms is the number of words used; later ones are ignored.
	maxTerms = "8"
	// maxWords is the maximum number of distinct words that a term matches as a prefix. Beyond it, only the whole word matches.
	maxWords = "100"
	// maxOthers is the maximum number of referenced records that a term finds.
	maxOthers = "100"
)

// Term is a word of a search, with its matches.
type Term struct {
	Word  string   // folded
	Whole bool     // only the whole word matches, because too many words begin with it
	Words []string // of the records
	// Others are the ids of referenced records ([Other]) with such words. If there are too many, it is empty and Crowd is set.
	Others  []uuid.UUID
	Crowd   bool
	Matches int // the approximate number of matches, at most a limit
}

// Terms returns the words of a search with their matches. A search without words has no terms.
func (words Words) Terms(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, search string) ([]Term, error) {
	table, other, others := words.Table, words.Other, `'{}'::uuid[]`
	if other.Words != "" {
		others = `ARRAY(
			SELECT ` + other.ID + ` FROM (
				SELECT ` + other.ID + ` FROM ` + other.Words + ` c
				WHERE c.tenant_id = @tenant_id AND c.word >= asked.word AND c.word < asked.word || chr(1114111)
				LIMIT ` + maxOthers + ` + 1) AS bounded)`
	}
	// The words with a prefix are found one by one, each with an index lookup after the previous one, so their frequency does not matter.
	return record.Collect(ctx, pool, tenant, pgx.RowToStructByPos[Term], `
		SELECT
			word, expanded.whole, expanded.words, CASE WHEN crowd THEN '{}' ELSE others END, crowd,
			10 * cardinality(others) + (SELECT count(*) FROM (
				SELECT FROM unnest(expanded.words) AS each (word), LATERAL (
					SELECT FROM `+table+` w WHERE w.tenant_id = @tenant_id AND w.word = each.word LIMIT 1000) AS w
				LIMIT 1000) AS bounded)
		FROM (
			SELECT word COLLATE "C" AS word, n FROM unnest(search_words(@search)) WITH ORDINALITY AS split (word, n)
			LIMIT `+maxTerms+`) AS asked,
		LATERAL (
			WITH RECURSIVE found AS (
				(SELECT w.word, 1 AS n FROM `+table+` w
				WHERE w.tenant_id = @tenant_id AND w.word >= asked.word AND w.word < asked.word || chr(1114111)
				ORDER BY w.word LIMIT 1)
				UNION ALL
				SELECT (
					SELECT w.word FROM `+table+` w
					WHERE w.tenant_id = @tenant_id AND w.word > found.word AND w.word < asked.word || chr(1114111)
					ORDER BY w.word LIMIT 1), n + 1
				FROM found WHERE found.word IS NOT NULL AND n <= `+maxWords+`)
			SELECT array_remove(array_agg(word), NULL) AS all_words, count(word) > `+maxWords+` AS whole FROM found) AS begun,
		LATERAL (
			SELECT CASE WHEN whole THEN ARRAY[asked.word] ELSE COALESCE(all_words, '{}') END AS words, whole) AS expanded,
		LATERAL (SELECT `+others+` AS others) AS of_others,
		LATERAL (SELECT cardinality(others) > `+maxOthers+` AS crowd) AS counted
		ORDER BY n`, pgx.NamedArgs{"search": search})
}

// rarest returns the index of the term with the fewest matches, with which a search begins.
func rarest(terms []Term) (least int) {
	for i, t := range terms {
		if t.Matches < terms[least].Matches {
			least = i
		}
	}
	return least
}
