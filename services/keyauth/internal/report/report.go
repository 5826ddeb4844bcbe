// Package report holds what other services report to keyauth: changes of the policy, drains of
// providers and events of rollouts, which go to the audit log of the operator's account, changes
// of alerts, which go to the audit log of their account, and the last uses of keys. The types check what was reported and turn it into what is stored. The
// account package checks who may report, and stores it.
package report

import "github.com/signalbox/signalbox/services/keyauth/internal/audit"

// The limits of reported texts. They are those of the router.
const (
	maxVersionLength = 64
	maxNoteLength    = 1000
	// maxNameLength limits the names of providers and models.
	maxNameLength = 200
)

// Entry is an entry of the audit log without its account, user and time.
type Entry struct {
	Action, Subject string
	Fields          audit.Fields
	// Before holds the fields before the change; nil if there were none.
	Before audit.Fields
}
