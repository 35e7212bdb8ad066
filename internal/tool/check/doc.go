// Package check holds the rules of this code base that the compiler doesn't check. It exports nothing: its tests read the tree,
// and a failing test names the rule and the place.
package check
