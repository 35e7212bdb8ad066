// Package file has the files of records. A record has the name of a file and the SHA-256 of its content. The content is in the table
// file_contents, once for each tenant, and is written in the transaction of the record.
package file

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/invalid"
)

// Input is an unchecked file. Its JSON has the content as Base64.
type Input struct {
	Name    string `json:"name" doc:"The name of the file. Its directories are left out."`
	Content []byte `json:"content" doc:"The content of the file, as Base64."`

	// TooLarge is set if the content was left out because it is larger than the form takes.
	TooLarge bool `json:"-"`
	// Missing is set if a form came with the name of a file, but without its content.
	Missing bool `json:"-"`
}

// Stored is the description of a file in a record, or zero for none.
type Stored struct {
	Name   string `json:"name"`
	Type   string `json:"type" doc:"The type by its content."`
	Size   int    `json:"size" doc:"In bytes."`
	SHA256 string `json:"sha256" doc:"Of the content, in hexadecimal."`
}

// File is a checked file of a command.
type File struct {
	Stored

	Content []byte
	// Removed is set if a change without a file removes the saved one.
	Removed bool
}

// MarshalJSON returns the JSON for the fingerprint of a command: the digest takes the place of the content.
func (f File) MarshalJSON() ([]byte, error) {
	if f.Removed && f.SHA256 == "" {
		return []byte("null"), nil
	}
	return json.Marshal([]string{f.Name, f.SHA256}) //nolint:wrapcheck // there is no error
}

// Rule describes the files that a field takes.
type Rule struct {
	MaxBytes int
	Types    []string // see kinds
}

// kind is a type of files.
type kind struct {
	name       string   // for people
	extensions []string // the first is added to a name that has none
}

// kinds returns the types of files that a [Rule] may have. Browsers run no scripts in these types.
func kinds() map[string]kind {
	return map[string]kind{
		"application/pdf": {"PDF", []string{".pdf"}},
		"image/png":       {"PNG", []string{".png"}},
		"image/jpeg":      {"JPEG", []string{".jpg", ".jpeg"}},
		"text/plain":      {"text", []string{".txt", ".csv", ".md", ".log"}},
	}
}

// String returns the rule for people: "PDF or PNG, at most 5 MiB".
func (r Rule) String() string {
	names := make([]string, len(r.Types))
	for i, of := range r.Types {
		names[i] = kinds()[of].name
	}
	last := len(names) - 1
	kinds := names[last]
	if last > 0 {
		kinds = strings.Join(names[:last], ", ") + " or " + kinds
	}
	return kinds + ", at most " + r.size()
}

func (r Rule) size() string {
	if r.MaxBytes < 1<<20 {
		return fmt.Sprintf("%d KiB", r.MaxBytes>>10)
	}
	return fmt.Sprintf("%d MiB", r.MaxBytes>>20)
}

// Accept returns the rule for the attribute accept of a form's control.
func (r Rule) Accept() string {
	var all []string
	for _, of := range r.Types {
		all = append(append(all, of), kinds()[of].extensions...)
	}
	return strings.Join(all, ",")
}

// Check returns the file of an input. It adds a mistake at a place if there is no file, or one that the rule doesn't allow. The content
// decides on the type. A name gets the extension of the type, unless it has one.
func (r Rule) Check(in Input, pointer string, problems *invalid.Error) File {
	f := File{Content: in.Content}
	f.Name, f.Size = Name(in.Name), len(in.Content)
	f.Type, _, _ = strings.Cut(http.DetectContentType(in.Content), ";")
	sum := sha256.Sum256(in.Content)
	f.SHA256 = hex.EncodeToString(sum[:])
	switch {
	case in.Missing:
		problems.Add(pointer, "Choose "+f.Name+" again.")
	case in.TooLarge, f.Size > r.MaxBytes:
		problems.Add(pointer, f.Name+" is larger than "+r.size()+". Choose a smaller file.")
	case in.Name == "" && f.Size == 0:
		problems.Add(pointer, "Choose a file.")
	case f.Size == 0:
		problems.Add(pointer, f.Name+" is empty. Choose another file.")
	case !slices.Contains(r.Types, f.Type):
		problems.Add(pointer, f.Name+" is of another type. Choose a file of the type "+strings.Split(r.String(), ", at")[0]+".")
	}
	known := kinds()[f.Type].extensions
	if len(known) > 0 && !slices.Contains(known, strings.ToLower(path.Ext(f.Name))) {
		f.Name += known[0]
	}
	return f
}

// CheckOptional is [Rule.Check] for a file that may be left out. It returns the zero value for none.
func (r Rule) CheckOptional(in Input, pointer string, problems *invalid.Error) File {
	if in.Name == "" && len(in.Content) == 0 && !in.TooLarge {
		return File{}
	}
	return r.Check(in, pointer, problems)
}

// MaxName is the maximum length of a name in characters, without the extension that [Rule.Check] adds.
const MaxName = 100

// Name returns the name of a file without its directories and invisible characters, shortened before its extension to [MaxName].
func Name(typed string) string {
	typed = typed[strings.LastIndexAny(typed, `/\`)+1:]
	name := strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsGraphic(r) {
			return -1
		}
		return r
	}, typed)
	name = strings.Trim(strings.Join(strings.Fields(name), " "), ". ")
	if name == "" {
		return "file"
	}
	if runes, extension := []rune(name), []rune(path.Ext(name)); len(runes) > MaxName {
		extension = extension[:min(len(extension), MaxName/10)]
		name = string(runes[:MaxName-len(extension)]) + string(extension)
	}
	return name
}

// Insert stores the content of a file, unless the tenant has it. It needs [File.Arguments] and @tenant_id.
const Insert = `
	INSERT INTO file_contents (tenant_id, digest, type, content) VALUES (@tenant_id, @file_digest, @file_type, @file_content)
	ON CONFLICT DO NOTHING`

// Arguments returns the named arguments @file_name, @file_digest, @file_type and @file_content.
func (f File) Arguments() pgx.NamedArgs {
	return pgx.NamedArgs{"file_name": f.Name, "file_digest": f.Digest(), "file_type": f.Type, "file_content": f.Content}
}

// Digest returns the digest as the database has it; nil if it is none.
func (s Stored) Digest() []byte {
	digest, err := hex.DecodeString(s.SHA256)
	if err != nil || len(digest) == 0 {
		return nil
	}
	return digest
}

// JSON returns the SQL expression for the JSON of the [Stored] file in the columns <column>_name and <column>_digest of the row r.
func JSON(column string) string {
	return `(SELECT json_build_object('name', r.` + column + `_name, 'type', c.type, 'size', c.size, 'sha256', encode(c.digest, 'hex'))
			FROM file_contents c WHERE c.tenant_id = r.tenant_id AND c.digest = r.` + column + `_digest)`
}
