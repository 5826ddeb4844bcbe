// Package cli is the frame of the command line: the table of commands, help texts and
// printed results.
//
// A Program has sections of Commands. Program.Dispatch finds the command in an Invocation
// and runs it; the help comes from the same table. A command writes only to the streams
// of its Invocation and returns an error instead of exiting; ExitCode translates the error.
// Text that can come from other users passes Sanitize before it reaches the terminal.
//
// Each family of commands has a package below this one, which returns its Commands.
// cmd/signalbox puts them together.
package cli
