package gemini

// finishReasons maps Google's finish reasons to OpenAI finish reasons. toFinishReason
// handles all other reasons.
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

// isFinal reports whether a finish reason ends its choice.
func isFinal(reason string) bool { return reason != "" && reason != "FINISH_REASON_UNSPECIFIED" }

// toFinishReason returns the finish_reason for the client. For a reason that is not in
// finishReasons it returns "stop" if there is output. Without output it returns "error",
// which makes the attempt fail. Package normalize sets the reason "tool_calls".
func toFinishReason(reason string, hasOutput bool) string {
	switch known, ok := finishReasons[reason]; {
	case ok:
		return known
	case hasOutput:
		return "stop"
	}
	return "error"
}
