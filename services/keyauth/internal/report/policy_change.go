package report

import (
	"github.com/signalbox/signalbox/services/keyauth/internal/audit"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

// PolicyChange is a change of the active policy.
type PolicyChange struct {
	// Rollback means that an older version was activated again.
	Rollback bool
	// Version is the version that is active now.
	Version string
	Note    string
}

// Entry returns the entry of the audit log. Error: INVALID_REQUEST.
func (c PolicyChange) Entry() (Entry, error) {
	if !setting.IsText(c.Version, 1, maxVersionLength) {
		return Entry{}, setting.InvalidParam("version", "a policy version must have 1 to 64 printable characters")
	}
	if len(c.Note) > maxNoteLength {
		return Entry{}, setting.InvalidParam("note", "the note must have at most 1000 bytes")
	}
	action := "policy.publish"
	if c.Rollback {
		action = "policy.rollback"
	}
	return Entry{Action: action, Subject: c.Version, Fields: audit.Fields{"version": c.Version, "note": c.Note}}, nil
}
