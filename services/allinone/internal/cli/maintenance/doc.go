// Package maintenance holds the commands that act on this machine: starting the gateway,
// doctor, backup, restore, probe and version, and for a split deployment certs and logins.
//
// Serve is what the binary does without a command. The commands only parse their flags; the
// all-in-one's service package and pkg do the work.
package maintenance
