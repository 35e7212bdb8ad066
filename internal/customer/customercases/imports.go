package customercases

import (
	"fmt"
	"net/url"

	"onlyonce/internal/site/sitetest"
)

// Imports create customers from files.
func Imports() sitetest.Resource {
	of := ImportsOf("customer", "Name,Email\nAda Lovelace,ada@example.com\n", "Name,Email\nGrace Hopper,grace@example.com\n")
	of.Transitions = append(of.Transitions, sitetest.Transition{
		Verb: "reverse", Past: "taken back", From: []string{"confirm", "stop"},
		Refused: sitetest.Refusal{After: []string{"confirm"}, Slug: "import-running"},
	})
	return of
}

// ImportsOf returns a kind of imports with a file and another one. Their jobs are not run.
func ImportsOf(one, content, others string) sitetest.Resource {
	file := one + "s.csv"
	command := url.Values{"file": {sitetest.FileValue(file, content)}, "separator": {""}, "encoding": {""}}
	return sitetest.Resource{
		Name: "import", Path: "/" + one + "-imports", People: true,
		Words: sitetest.Words{
			Verb: "upload", Past: "uploaded", Button: "Upload", Told: file + " uploaded. Nothing was created yet.",
		},
		Command: command, Label: file,
		Leaves: sitetest.Rows{"imports": 1, "import_files": 1, "intents": 1},
		Other:  sitetest.Change(command, "file", sitetest.FileValue(file, others)),
		Fields: []sitetest.Field{
			{
				Name: "file", Valid: sitetest.FileValue("others.csv", content),
				Invalid: sitetest.FileValue(file, "Name,Email\n\"Ada"), Pointer: "/file",
			},
			{Name: "separator", Valid: "semicolon", Invalid: "space", Pointer: "/separator"},
			{Name: "encoding", Valid: "windows-1252", Invalid: "ebcdic", Pointer: "/encoding"},
		},
		Transitions: []sitetest.Transition{
			{Verb: "confirm", Past: "confirmed"},
			{
				Verb: "stop", Past: "stopped", From: []string{"confirm"}, Undo: "continue",
				Refused: sitetest.Refusal{Slug: "import-not-confirmed"},
			},
			{Verb: "continue", Past: "continued", From: []string{"confirm", "stop"}, Undo: "stop"},
		},
	}
}

// GrowImports inserts imports of a kind of acme, whose ids begin behind a number. content is a format of the number of an import.
func GrowImports(b *sitetest.Bundle, kind string, behind int, headings, columns, content string) {
	b.Helper()
	b.Exec(fmt.Sprintf(`
		SET LOCAL session_replication_role = replica;
		CREATE OR REPLACE FUNCTION pg_temp.import_id(n bigint) RETURNS uuid LANGUAGE sql AS
			$$ SELECT ('01900000-0000-7000-8000-' || lpad(to_hex(n + %[3]d), 12, '0'))::uuid $$;
		INSERT INTO imports (
			tenant_id, id, kind, file_name, encoding, separator, headings, headings_digest, columns, row_count, source, state, confirmed_at)
		SELECT '%[1]s', pg_temp.import_id(n), '%[4]s', '%[4]s.csv', 'utf-8', 'comma', '%[5]s', sha256(n::text::bytea), '%[6]s', 2, 'csv',
			CASE n %% 3 WHEN 0 THEN 'uploaded' WHEN 1 THEN 'running' ELSE 'stopped' END, CASE WHEN n %% 3 > 0 THEN now() END
		FROM generate_series(1, %[2]d) AS n;
		INSERT INTO import_files (tenant_id, import_id, content)
		SELECT '%[1]s', pg_temp.import_id(n), convert_to(format(E'%[7]s', n), 'UTF8') FROM generate_series(1, %[2]d) AS n;
		INSERT INTO import_chunks (tenant_id, import_id, line, created, known, left_out)
		SELECT '%[1]s', pg_temp.import_id(n), 1000, 0, 0, 1 FROM generate_series(1, %[2]d) AS n;
		INSERT INTO import_problems (tenant_id, import_id, line, problem)
		SELECT '%[1]s', pg_temp.import_id(n), 1000, 'Enter a name.' FROM generate_series(1, %[2]d) AS n`,
		b.Acme.ID, sitetest.Many, behind, kind, headings, columns, content))
}
