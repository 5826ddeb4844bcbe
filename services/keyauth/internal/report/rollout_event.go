package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/services/keyauth/internal/audit"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

// RolloutEvent is what happened in the rollout of a policy version.
type RolloutEvent struct {
	Rollout string
	// Number identifies the event among those of all rollouts.
	Number int64
	Action string
	// Version is the candidate version. Share is the share of the sessions that it serves
	// after the event, in hundredths of a percent.
	Version string
	Share   int32
	// Author is empty if the guardrails caused the event.
	Author, Reason string
}

// rolloutActions are the actions of a rollout.
var rolloutActions = []string{"start", "advance", "halt", "roll_back", "complete", "supersede"}

// Entry returns the entry of the audit log. Its action and subject identify the event. Error:
// INVALID_REQUEST.
func (r RolloutEvent) Entry() (Entry, error) {
	switch {
	case !setting.IsText(r.Rollout, 1, maxVersionLength):
		return Entry{}, setting.InvalidParam("rollout", "the id of a rollout must have 1 to 64 printable characters")
	case !slices.Contains(rolloutActions, r.Action):
		return Entry{}, setting.InvalidParam("action", "the action of a rollout must be one of "+strings.Join(rolloutActions, ", "))
	case !setting.IsText(r.Version, 1, maxVersionLength):
		return Entry{}, setting.InvalidParam("version", "a policy version must have 1 to 64 printable characters")
	case len(r.Reason) > maxNoteLength:
		return Entry{}, setting.InvalidParam("reason", "the reason must have at most 1000 bytes")
	}
	return Entry{Action: "rollout." + r.Action, Subject: fmt.Sprintf("%s/%d", r.Rollout, r.Number), Fields: audit.Fields{
		"version": r.Version, "share_percent": float64(r.Share) / 100, "reason": r.Reason, "automatic": r.Author == "",
	}}, nil
}

// Email returns the e-mail address of the author, or "" if the author is not a user.
func (r RolloutEvent) Email() string {
	if strings.Contains(r.Author, "@") {
		return r.Author
	}
	return ""
}
