package apiverdict

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
)

func TestRead(t *testing.T) {
	t.Setenv("API_TOKEN", "secret")
	t.Setenv("OTHER_TOKEN", "of somebody else")
	d, err := Read("apis/this_app.json")
	assert.Thatf(t, err == nil && d.Headers["Authorization"] == "Bearer secret" && d.KeyHeader == "Idempotency-Key", "read %+v, %v", d, err)
	right := must.Read(t, "apis/this_app.json")
	for want, c := range map[string]struct{ old, new string }{
		`unknown field "where"`:        {`"address"`, `"where"`},
		`"ftp://x" is not like`:        {"http://127.0.0.1:8080", "ftp://x"},
		`the replica "x" is not like`:  {`"headers"`, `"replica": "x", "headers"`},
		"needs a text with {mark}":     {"{mark}@", "@"},
		"must begin with /":            {`"/api/v1/invoices",`, `"api",`},
		"must be a JSON Pointer":       {`"/id"`, `"id"`},
		"either json or a command":     {`"json": "/api`, `"command": ["true"], "json": "/api`},
		"or the field that contains":   {`?q={mark}`, ``},
		`has "key-mising", which is`:   {`"create"`, `"not_claimed": ["key-mising"], "create"`},
		"variable NONE of the header":  {`${API_TOKEN}`, `${NONE}`},
		"header Authorization is a se": {`${API_TOKEN}`, `abc`},
	} {
		file := filepath.Join(t.TempDir(), "api.json")
		text := strings.ReplaceAll(right, c.old, c.new)
		if c.old == "{mark}@" {
			text = strings.ReplaceAll(text, " {mark}", "")
		}
		must.OK(t, os.WriteFile(file, []byte(text), 0o600))
		_, err := Read(file)
		assert.Thatf(t, err != nil && strings.Contains(err.Error(), want), "%v, want %q", err, want)
	}
}

// TestSchema checks that the schema for editors has the same fields and questions as the program.
func TestSchema(t *testing.T) {
	t.Parallel()
	schema, err := jsonschema.NewCompiler().Compile("api.schema.json")
	must.OK(t, err)
	files, err := filepath.Glob("apis/*.json")
	must.Thatf(t, err == nil && len(files) != 0, "%v %v", files, err)
	for _, name := range files {
		file, err := os.Open(name)
		must.OK(t, err)
		described, err := jsonschema.UnmarshalJSON(file)
		if err == nil {
			err = schema.Validate(described)
		}
		if file.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for part, of := range map[*jsonschema.Schema]reflect.Type{
		schema:                      reflect.TypeFor[Description](),
		schema.Properties["create"]: reflect.TypeFor[Create](),
		schema.Properties["count"]:  reflect.TypeFor[Count](),
	} {
		var known []string
		for one := range of.Fields() {
			known = append(known, one.Tag.Get("json"))
		}
		for name := range part.Properties {
			assert.Thatf(t, slices.Contains(known, name), "the schema has %s, which %s does not", name, of)
		}
		assert.Thatf(t, len(known) == len(part.Properties), "the schema has %d fields of %s, want %d", len(part.Properties), of, len(known))
	}
	var questions []string
	for _, name := range schema.Properties["not_claimed"].Items2020.Enum.Values {
		questions = append(questions, name.(string))
	}
	assert.Thatf(t, slices.Equal(questions, names()), "the schema has the questions %q, want %q", questions, names())
}
