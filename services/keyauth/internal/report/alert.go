package report

import (
	"slices"
	"strings"

	"github.com/signalbox/signalbox/services/keyauth/internal/audit"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

// maxAlertValue limits a setting in bytes. The longest one lists the names of all channels.
const maxAlertValue = 8000

// AlertChange is a change of an alert or of a channel to which alerts are sent.
type AlertChange struct {
	Action string
	// Subject is the id of the alert or the channel.
	Subject string
	// Before is empty for a new object, After for a deleted one.
	Before, After map[string]string
}

var (
	alertActions = []string{"create", "update", "delete", "create_channel", "update_channel", "delete_channel"}
	// alertFields are the only settings that the log accepts. Signing secrets are not among them.
	alertFields = []string{"name", "kind", "threshold", "window", "min_requests", "state", "channels", "address", "quiet_hours"}
)

// Entry returns the entry of the audit log. Error: INVALID_REQUEST.
func (c AlertChange) Entry() (Entry, error) {
	if !slices.Contains(alertActions, c.Action) {
		return Entry{}, setting.InvalidParam("action", "the action of an alert must be one of "+strings.Join(alertActions, ", "))
	}
	if !setting.IsText(c.Subject, 1, maxVersionLength) {
		return Entry{}, setting.InvalidParam("subject", "the id of an alert must have 1 to 64 printable characters")
	}
	before, err := toAlertFields(c.Before)
	if err != nil {
		return Entry{}, err
	}
	after, err := toAlertFields(c.After)
	return Entry{Action: "alert." + c.Action, Subject: c.Subject, Before: before, Fields: after}, err
}

// toAlertFields returns nil for no settings, because the log then lists all of the others.
func toAlertFields(settings map[string]string) (audit.Fields, error) {
	if len(settings) == 0 {
		return nil, nil
	}
	fields := audit.Fields{}
	for name, value := range settings {
		if !slices.Contains(alertFields, name) || len(value) > maxAlertValue {
			return nil, setting.InvalidParam("settings", "an alert has no such setting, or it is too long")
		}
		fields[name] = value
	}
	return fields, nil
}
