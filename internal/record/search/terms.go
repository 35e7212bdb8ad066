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
	// maxTerms is how many of its words are looked for; those behind them are not.
	maxTerms = "8"
	// maxWords is how many different words may begin like one that is looked for. Beyond, only the whole word is.
	maxWords = "100"
	// maxOthers is the same for the other records that a term finds by their words.
	maxOthers = "100"
)

// Term is one word of a search, with what it finds.
type Term struct {
	Word  string   // folded
	Whole bool     // only the word itself was looked for, as too many words begin with it
	Words []string // of the records
	// Others are the records of [Other] that have such words. Where there are too many, it is empty, and Crowd is true.
	Others  []uuid.UUID
	Crowd   bool
	Matches int // how many it finds, or that many at least
}

// Terms returns the words of a search, each with what it finds. A search without any word has no terms.
func (words Words) Terms(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, search string) ([]Term, error) {
	table, other, others := words.Table, words.Other, `'{}'::uuid[]`
	if other.Words != "" {
		others = `ARRAY(
			SELECT ` + other.ID + ` FROM (
				SELECT ` + other.ID + ` FROM ` + other.Words + ` c
				WHERE c.tenant_id = @tenant_id AND c.word >= asked.word AND c.word < asked.word || chr(1114111)
				LIMIT ` + maxOthers + ` + 1) AS bounded)`
	}
	// The words that begin alike are found one by one, each by a look at the index behind the one before: how often they
	// are used does not matter.
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

// rarest returns the index of the term that matches the fewest rows, with which a search begins.
func rarest(terms []Term) (least int) {
	for i, t := range terms {
		if t.Matches < terms[least].Matches {
			least = i
		}
	}
	return least
}
