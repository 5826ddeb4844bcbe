package report

import (
	"strings"

	"github.com/signalbox/signalbox/services/keyauth/internal/audit"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

// DrainChange is the drain or the resumption of a provider or a model.
type DrainChange struct {
	// Resumed means that a drain has ended.
	Resumed bool
	// An empty Provider means every provider of the model, an empty Model every model of
	// the provider.
	Provider, Model string
	Reason          string
}

// Entry returns the entry of the audit log. Error: INVALID_REQUEST.
func (c DrainChange) Entry() (Entry, error) {
	switch {
	case c.Provider == "" && c.Model == "":
		return Entry{}, setting.InvalidParam("provider", "name a provider, a model, or both")
	case !setting.IsText(c.Provider, 0, maxNameLength) || !setting.IsText(c.Model, 0, maxNameLength):
		return Entry{}, setting.InvalidParam("provider", "names must have at most 200 printable characters")
	case len(c.Reason) > maxNoteLength:
		return Entry{}, setting.InvalidParam("reason", "the reason must have at most 1000 bytes")
	}
	action := "provider.drain"
	if c.Resumed {
		action = "provider.resume"
	}
	subject := strings.Trim(c.Model+"@"+c.Provider, "@")
	return Entry{Action: action, Subject: subject, Fields: audit.Fields{"provider": c.Provider, "model": c.Model, "reason": c.Reason}}, nil
}
