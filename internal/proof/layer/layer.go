// Package layer removes layers of protection from a disposable database, to prove or to demonstrate that they are needed.
package layer

import (
	_ "embed" // for the SQL
	"strings"
)

//go:embed layers.sql
var layers string

// SQL returns the statements that remove some layers of layers.sql. It panics if it has no such layer.
func SQL(names ...string) (all []string) {
	for _, name := range names {
		all = append(all, With(name, "", "")...)
	}
	return all
}

// With returns the statements that remove a layer, with a value in place of a name in braces.
func With(layer, name, value string) (all []string) {
	_, rest, found := strings.Cut(layers, "\n-- layer: "+layer+"\n")
	if !found {
		panic("layers.sql has no layer " + layer)
	}
	text, _, _ := strings.Cut(rest, "\n-- layer: ")
	for part := range strings.SplitAfterSeq(strings.ReplaceAll(text, "{"+name+"}", value), ";\n") {
		if n := len(all); n > 0 && strings.Count(all[n-1], "$$")%2 == 1 { // inside the body of a function
			all[n-1] += part
		} else {
			all = append(all, part)
		}
	}
	return all
}
