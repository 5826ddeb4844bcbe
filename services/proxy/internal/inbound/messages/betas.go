package messages

import (
	"regexp"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/services/proxy/internal/namelist"
)

// pricedBetas lists, without their dates, the beta features that do not make a cost uncertain.
// Most charge nothing. The usage reports what the others charge, or the catalog has the price:
// cache lifetimes, long contexts, fast mode, compaction, and tools that Anthropic runs.
var pricedBetas = []string{
	"advanced-tool-use", "afk-mode", "claude-code", "cli-internal", "code-execution", "compact", "computer-use", "context-1m", "context-management",
	"dev-full-thinking", "effort", "extended-cache-ttl", "fast-mode", "files-api", "fine-grained-tool-streaming",
	"interleaved-thinking", "max-tokens-3-5-sonnet", "mcp-client", "mcp-servers", "message-batches",
	"mid-conversation-system", "mid-conversation-tool-changes", "model-context-window-exceeded", "oauth", "output-128k", "output-300k",
	"pdfs", "prompt-caching", "prompt-caching-scope", "redact-thinking", "search-results", "skills", "structured-outputs",
	"task-budgets", "token-counting", "token-efficient-tools", "tool-examples", "tool-search-tool", "user-profiles",
	"web-fetch", "web-search",
}

// betaDate is the end of the name of a beta feature, such as -2025-05-14.
var betaDate = regexp.MustCompile(`-20[0-9]{2}-?[0-9]{2}-?[0-9]{2}$`)

// UnpricedBetas returns the beta features in the values of the header Anthropic-Beta whose price
// is not known. The list of features is open: an unknown one may charge more than its tokens.
func UnpricedBetas(header []string) []string {
	var unpriced namelist.List
	for _, value := range header {
		for beta := range strings.SplitSeq(value, ",") {
			beta = strings.TrimSpace(beta)
			if beta != "" && !slices.Contains(pricedBetas, betaDate.ReplaceAllString(strings.ToLower(beta), "")) {
				unpriced.Add(beta)
			}
		}
	}
	return unpriced
}
