package web

import (
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// caller returns the place that registers a route, as file:line in the module: the first caller outside of this package, or with own of
// the router and [Site] only, for the routes of this package.
func caller(own bool) string {
	pcs := make([]uintptr, 16)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	frame, more := frames.Next()
	here := packageOf(frame)
	for ; more; frame, more = frames.Next() {
		file := path.Base(frame.File)
		routes := slices.Contains([]string{"caller.go", "router.go", "site.go"}, file)
		if packageOf(frame) != here || own && !routes {
			module := strings.TrimSuffix(here, "internal/web")
			return strings.TrimPrefix(packageOf(frame), module) + "/" + file + ":" + strconv.Itoa(frame.Line)
		}
	}
	return ""
}

// packageOf returns the import path of a function.
func packageOf(frame runtime.Frame) string {
	dir, name := path.Split(frame.Function)
	name, _, _ = strings.Cut(name, ".")
	return dir + name
}
