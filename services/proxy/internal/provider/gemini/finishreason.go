package gemini

// finishReasons maps Google's finish reasons to OpenAI finish reasons. All other reasons
// are errors at Google. They are ignored if there is output.
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

// toFinishReason returns the finish_reason for the client. For an unknown reason without
// output it returns "error", which makes the attempt fail. It never returns "tool_calls":
// package openai sets this reason, because it processes the whole response.
func toFinishReason(reason string, hasOutput bool) string {
	switch known, ok := finishReasons[reason]; {
	case ok:
		return known
	case hasOutput:
		return "stop"
	}
	return "error"
}
