package gemini

// finishes are our clients' words for Google's. What is not here is a fault of
// Google's, of which the client need not know if it has an answer.
var finishes = map[string]string{
	"STOP":                     "stop",
	"MAX_TOKENS":               "length",
	"CONTINUATION":             "length",
	"SAFETY":                   "content_filter",
	"RECITATION":               "content_filter",
	"LANGUAGE":                 "content_filter",
	"BLOCKLIST":                "content_filter",
	"PROHIBITED_CONTENT":       "content_filter",
	"SPII":                     "content_filter",
	"IMAGE_SAFETY":             "content_filter",
	"IMAGE_PROHIBITED_CONTENT": "content_filter",
	"IMAGE_RECITATION":         "content_filter",
}

// ends tells whether a reason ends its candidate.
func ends(reason string) bool { return reason != "" && reason != "FINISH_REASON_UNSPECIFIED" }

// finishReason is the reason that the client gets; error is none, and makes the
// attempt a failed one. Calls of tools are told by whoever sees them all.
func finishReason(reason string, produced bool) string {
	switch known, ok := finishes[reason]; {
	case ok:
		return known
	case produced:
		return "stop"
	}
	return "error"
}
