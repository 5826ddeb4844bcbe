package gemini

// finishReasons maps Google's finish reasons to those of the OpenAI format. Other
// reasons are errors of Google's, which do not matter if there is output.
var finishReasons = map[string]string{
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

// isFinal reports whether a reason ends its candidate.
func isFinal(reason string) bool { return reason != "" && reason != "FINISH_REASON_UNSPECIFIED" }

// toFinishReason returns the finish_reason for the client. "error" is not a valid one
// and makes the attempt fail. Package openai sets tool_calls, because only it sees
// the whole response.
func toFinishReason(reason string, hasOutput bool) string {
	switch known, ok := finishReasons[reason]; {
	case ok:
		return known
	case hasOutput:
		return "stop"
	}
	return "error"
}
