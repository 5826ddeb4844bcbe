// Package ledger holds the commands that read the ledger: savings, requests, sessions, export, and
// ledger with its completeness and dead letters.
//
// The commands call the HTTP API of the dashboard over the socket in the data directory.
// Amounts are printed exactly. An export gets its name only if it is complete and matches
// the checksums of the dashboard; "export verify" checks it later without a service.
package ledger
