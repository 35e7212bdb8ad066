// Package dev runs the app while somebody works on it: it generates, builds and restarts on every change, and reloads
// the page. The database keeps running meanwhile.
//
// Pages come through a proxy, which adds a script to them and takes the files of static/ from the disk. The app itself
// is that of production: the script is a file of the same site, as its Content-Security-Policy asks, and a text in a
// template is seen without a build because templ reads it from a file in its development mode.
package dev
