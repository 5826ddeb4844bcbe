package session

import (
	"cmp"
	"encoding/json"
	"strings"
)

// splitUserID returns the user and the session in metadata.user_id. Claude Code sends both in
// one text: a JSON object, or user_…_session_… in older versions. Any other text is a user.
func splitUserID(text string) (user, session string) {
	if strings.HasPrefix(text, "{") {
		var parts struct {
			DeviceID    string `json:"device_id"`
			AccountUUID string `json:"account_uuid"`
			SessionID   string `json:"session_id"`
		}
		if json.Unmarshal([]byte(text), &parts) == nil && parts.SessionID != "" {
			return cmp.Or(parts.AccountUUID, parts.DeviceID), parts.SessionID
		}
	}
	if user, session, ok := strings.Cut(text, "_session_"); ok && strings.HasPrefix(user, "user_") {
		return user, session
	}
	return text, ""
}
