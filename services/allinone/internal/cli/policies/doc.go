// Package policies holds the policy commands.
//
// "policy validate" and "policy test" check a file without a service, with the router's own
// code. "policy replay" calls the dashboard, which has the past requests. The other commands
// call the policy API of the router. Problems of a file are printed like those of a
// compiler, with file, line and column.
package policies
