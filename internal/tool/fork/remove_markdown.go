package fork

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	// begins matches the beginning of a paragraph, an item of a list or a row of a table, after its indentation.
	begins = regexp.MustCompile("^\\s*(?:$|[-|#]|\\d+\\.|```|<!--)")
	linked = regexp.MustCompile(`\]\(([^)#\s]+)[^)]*\)|(?:src|srcset)="([^"]+)"`)
	coded  = regexp.MustCompile("`([\\w./*-]+)`")
	first  = regexp.MustCompile("^\\s*(?:- )?`?([\\w./-]+/[\\w./-]*)")
	empty  = regexp.MustCompile(`\n{3,}`)
	box    = regexp.MustCompile(`^\s*(\w+)\["([\w/]+)`)
	tests  = regexp.MustCompile("(\\s*\\()?(`Test\\w+`(?:,\\s`Test\\w+`)*)(\\))?")
	test   = regexp.MustCompile("`(Test\\w+)`")
)

// withoutTests returns a Markdown text without the names of removed tests in lists and parentheses.
func withoutTests(text string, gone map[string]bool) string {
	return tests.ReplaceAllStringFunc(text, func(list string) string {
		parts := tests.FindStringSubmatch(list)
		var left []string
		for _, name := range test.FindAllStringSubmatch(list, -1) {
			if !gone[name[1]] {
				left = append(left, name[0])
			}
		}
		switch {
		case len(left) == len(test.FindAllString(list, -1)):
			return list
		case len(left) == 0 && parts[1] != "" && parts[3] != "":
			return ""
		case len(left) == 0:
			return list // a sentence about the test
		default:
			return parts[1] + strings.Join(left, ", ") + parts[3]
		}
	})
}

// withoutMentions returns a Markdown text without the blocks that link to a removed file, begin with its path, or are about a
// part: paragraphs, items of lists, rows of tables, boxes of diagrams with their arrows, and headings with their sections.
func withoutMentions(page, text string, gone func(file string) bool, speaks func(page, text string) bool) string {
	fenced, section := false, 0 // section is the level of the removed heading
	rest := strings.Join(slices.DeleteFunc(blocksOf(text, gone), func(block string) bool {
		if strings.Count(block, "```")%2 == 1 {
			fenced = !fenced
		}
		level := len(block) - len(strings.TrimLeft(block, "#"))
		if fenced || level > section && section > 0 {
			level = 0
		}
		goes := links(page, block, gone) || !fenced && speaks(page, block)
		if level > 0 {
			section = 0
			if goes {
				section = level
			}
		}
		return goes || section > 0
	}), "")
	if rest == text {
		return text
	}
	return strings.TrimSpace(empty.ReplaceAllString(rest, "\n\n")) + "\n"
}

// blocksOf splits a Markdown text into paragraphs, items of lists and rows of tables, without the boxes of diagrams for removed
// files, and their arrows.
func blocksOf(text string, gone func(file string) bool) (blocks []string) {
	var boxes []string
	for line := range strings.Lines(text) {
		if drawn := box.FindStringSubmatch(line); drawn != nil && gone(drawn[2]) {
			boxes = append(boxes, drawn[1])
			continue
		}
		if ends := strings.Split(strings.TrimSpace(line), " --> "); len(ends) == 2 &&
			(slices.Contains(boxes, ends[0]) || slices.Contains(boxes, ends[1])) {
			continue
		}
		if n := len(blocks); n == 0 || begins.MatchString(line) || strings.TrimSpace(blocks[n-1]) == "" {
			blocks = append(blocks, line)
		} else {
			blocks[n-1] += line
		}
	}
	return blocks
}

// links reports whether a block links to a removed file, or begins with its path.
func links(page, block string, gone func(file string) bool) bool {
	for _, to := range linked.FindAllStringSubmatch(block, -1) {
		if gone(path.Join(path.Dir(page), to[1]+to[2])) {
			return true
		}
	}
	named := first.FindAllStringSubmatch(block, 1)
	if strings.HasPrefix(block, "|") {
		named = coded.FindAllStringSubmatch(block, -1)
	}
	return slices.ContainsFunc(named, func(m []string) bool { return gone(path.Clean(m[1])) })
}
