package session

import (
	"bytes"

	"github.com/signalbox/signalbox/pkg/requestbody"
)

const (
	// maxSideCallInput is the maximum number of input tokens of a side call.
	maxSideCallInput = 2000
	// sideCallShare is how much smaller than a turn a larger side call must be.
	sideCallShare = 10
	// searchedOpening is how many bytes of the opening are searched for sideCallWords.
	searchedOpening = 4 << 10
)

// toolAgents lists the programs whose turns always have tools. The names are those of package
// agent.
var toolAgents = map[string]bool{
	"claude-code": true, "codex": true, "opencode": true, "gemini-cli": true, "qwen-code": true,
	"cline": true, "roo-code": true, "kilo-code": true, "continue": true, "pi": true,
}

// sideCallWords are the words by which the side calls of agents are recognised, in lower case:
// titles, topic checks, summaries, and Claude Code's check of its quota.
var sideCallWords = [][]byte{[]byte("title"), []byte("topic"), []byte("summar"), []byte("quota")}

// IsSideCall reports whether a request is a side call of its session. A side call has no tools
// and is small. It is either a known request of an agent, or it differs from the other turns:
// they have tools, and begin differently. program is the name of the client program. The state
// is nil if nothing is known of the session.
func IsSideCall(id Identity, program string, r *requestbody.Request, s *State) bool {
	if !id.Explicit || r.Features.GetOrZero("tools") > 0 || r.EndsWithToolResult || !isSmall(r.InputTokens, s) {
		return false
	}
	if r.PreviousResponseID != "" {
		return false // its opening is in the stored conversation
	}
	if s != nil && len(s.Conversations) > 0 {
		return s.findConversation(r.OpeningID()) == nil
	}
	return toolAgents[program] && hasSideCallWord(r)
}

func isSmall(input int64, s *State) bool {
	return input <= maxSideCallInput || s != nil && input <= s.Input/sideCallShare
}

func hasSideCallWord(r *requestbody.Request) bool {
	var scratch [2 * searchedOpening]byte
	text := bytes.ToLower(r.AppendOpening(scratch[:0], searchedOpening))
	for _, word := range sideCallWords {
		if bytes.Contains(text, word) {
			return true
		}
	}
	return false
}
