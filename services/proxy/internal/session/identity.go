package session

import (
	"strconv"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/requestbody"
)

// Header holds the headers of a request by canonical name, like http.Header.
type Header = map[string][]string

// Identity says to which session a request belongs.
type Identity struct {
	// ID is the id of the session; empty if the request has none.
	ID string
	// Explicit means that the client sent the id. Otherwise it is a hash of the start of the
	// conversation.
	Explicit bool
	// User is the end user that the client names; empty if it names none.
	User string
}

// idHeaders lists the headers with a session id, the most important first: our own, then those
// of Claude Code, of Codex, and of OpenCode.
var idHeaders = [...]string{
	"X-Signalbox-Session", "X-Claude-Code-Session-Id", "Session-Id", "Thread-Id",
	"X-Session-Affinity", "X-Session-Id", "X-Opencode-Session-Id",
}

// IDFromHeader returns the session id in the headers, or "".
func IDFromHeader(account string, h Header) string {
	for _, name := range idHeaders {
		if id := boundHeader(account, h, name); id != "" {
			return id
		}
	}
	return ""
}

// Identify returns the identity of a request. headerID is the result of IDFromHeader.
func Identify(account, headerID string, h Header, r *requestbody.Request) Identity {
	if r.Kind != catalog.Chat {
		return Identity{ID: headerID, Explicit: headerID != "", User: findUser(account, "", h, r)}
	}
	user, session := splitUserID(r.Metadata["user_id"])
	id := Identity{ID: headerID, Explicit: true, User: findUser(account, user, h, r)}
	if id.ID == "" {
		id.ID = Bound(account, r.TextMember("prompt_cache_key"))
	}
	if id.ID == "" {
		id.ID = Bound(account, session)
	}
	if id.ID == "" {
		id.ID, id.Explicit = openingID(r), false
	}
	return id
}

// openingID returns the id of a conversation without an explicit id, or "".
func openingID(r *requestbody.Request) string {
	n := r.ConversationID()
	if n == 0 {
		return ""
	}
	var scratch [18]byte
	return string(strconv.AppendUint(append(scratch[:0], "c-"...), n, 16))
}

// findUser returns the end user. metadataUser is the user in the metadata.
func findUser(account, metadataUser string, h Header, r *requestbody.Request) string {
	if user := boundHeader(account, h, "X-Signalbox-User"); user != "" {
		return user
	}
	for _, name := range [...]string{"user", "safety_identifier"} {
		if user := Bound(account, r.TextMember(name)); user != "" {
			return user
		}
	}
	return Bound(account, metadataUser)
}

func boundHeader(account string, h Header, name string) string {
	if v := h[name]; len(v) > 0 {
		return Bound(account, v[0])
	}
	return ""
}
