package usagereport

import (
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/namelist"
)

// The catalog has prices of tokens only. The functions below find what an upstream charges in
// addition, so that a record can name it.

// standardValues lists, by member, the values that do not change the price.
var standardValues = map[string][]string{
	"service_tier":  {"standard", "default", "auto", "batch", "on_demand"},
	"speed":         {"standard"},
	"inference_geo": {"global", "not_available"},
}

// freeTools lists the tools that vendors run without a charge of their own, by the start of
// their names.
var freeTools = []string{"web_fetch", "tool_search", "mcp", "memory"}

// neutralBuckets lists counts that are part of other counts and have the same price.
var neutralBuckets = []string{
	"input_tokens", "output_tokens", "prompt_tokens", "completion_tokens", "total_tokens", "prompt_cache_miss_tokens",
	"text_tokens", "accepted_prediction_tokens", "rejected_prediction_tokens",
}

// neutralInputs lists counts that have the price of text in the input, but not in the output.
var neutralInputs = []string{"image_tokens", "video_tokens"}

// AddUnpriced reads a member of a usage object that holds none of the counts that have a price.
// It adds the names of what the upstream charges.
func AddUnpriced(list *namelist.List, name string, v []byte) {
	switch name {
	case "server_tool_use", "server_side_tool_usage_details":
		for tool, count := range jsonscan.Members(v) {
			if isPositive(count) {
				addTool(list, string(tool))
			}
		}
	case "num_search_queries", "num_sources_used":
		if isPositive(v) {
			list.Add("web_search")
		}
	case "iterations":
		addIterations(list, v)
	default:
		if isUnknownBucket(name) && isPositive(v) || isSpecialTier(name, v) {
			list.Add(name)
		}
	}
}

// addTool adds a tool by its name in a usage object, such as web_search_requests.
func addTool(list *namelist.List, counter string) {
	tool := strings.TrimSuffix(strings.TrimSuffix(counter, "_requests"), "_calls")
	isFree := func(start string) bool { return strings.HasPrefix(tool, start) }
	if !slices.ContainsFunc(freeTools, isFree) {
		list.Add(tool)
	}
}

// addIterations adds the calls that Anthropic makes beside the response itself, such as a
// compaction. The counts of the response do not include them.
func addIterations(list *namelist.List, iterations []byte) {
	for iteration := range jsonscan.Elements(iterations) {
		if kind := jsonscan.DecodeText(jsonscan.Member(iteration, "type")); kind != "" && kind != "message" {
			list.Add(kind)
		}
	}
}

// isUnknownBucket reports whether a member counts something that has no price. Other members,
// such as durations, charge nothing.
func isUnknownBucket(name string) bool {
	isCount := strings.HasSuffix(name, "_tokens") || strings.HasSuffix(name, "_requests")
	return isCount && !slices.Contains(neutralBuckets, name)
}

// isSpecialTier reports whether a member names a tier or region that changes the price.
func isSpecialTier(name string, v []byte) bool {
	standard, ok := standardValues[name]
	value := strings.ToLower(jsonscan.DecodeText(v))
	return ok && value != "" && !slices.Contains(standard, value)
}

// addDetail adds a count in the details of the input or the output, such as audio_tokens.
func addDetail(list *namelist.List, isOutput bool, name string, v []byte) {
	if !isUnknownBucket(name) || !isPositive(v) || !isOutput && slices.Contains(neutralInputs, name) {
		return
	}
	list.Add(detailName(isOutput, strings.TrimSuffix(name, "_tokens")))
}

// detailName names the tokens of a kind of content.
func detailName(isOutput bool, kind string) string {
	if isOutput {
		return kind + "_output_tokens"
	}
	return kind + "_input_tokens"
}

func isPositive(v []byte) bool {
	n, ok := jsonscan.ParseInteger(v)
	return ok && n > 0
}
