// Package check holds the rules of this code base that no compiler knows. It
// has nothing to import: its tests read the tree, and a failing one says which
// rule is broken and where.
package check
