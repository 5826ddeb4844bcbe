// Package clients describes which entries the settings files of client programs need, so that
// a program uses this gateway. Each program has a file of its own here.
//
// The package touches no file: it returns paths and entries. Package edit changes the texts,
// and package userfiles reads and writes them.
package clients
