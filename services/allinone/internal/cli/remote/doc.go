// Package remote is the base of commands that call a running service.
//
// A Command calls keyauth or the router over gRPC, a DashboardCommand the HTTP API of the
// dashboard. Both connect to the socket in the data directory; a Command can also connect to
// --server with the operator's certificate. A family adds its flags to Command.Flags and
// gives its work to one of the Run methods, which parse the flags and connect.
//
// The package also finds accounts and other objects by the text that a user types
// (SearchAccounts), asks before changes that cannot be undone (Confirm), and turns every
// error into one line that says what to do. Commands never open the stores.
package remote
