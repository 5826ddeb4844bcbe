package clients

import (
	"slices"
	"strings"
)

// sdkCases are the cases of the vendors' SDKs. Their kinds are create, stream, parse (into a
// JSON schema), count (of tokens) and cancel (of a stream after its first text).
var sdkCases = slices.Concat(sdkToolCases(), sdkTextCases(), sdkGatewayErrors(), sdkVendorErrors())

// overVendors returns a copy of the case for every kind and vendor.
func overVendors(c testCase, kinds ...string) []testCase {
	var all []testCase
	for _, kind := range kinds {
		for _, name := range []string{"anthropic", "google", "openai"} {
			one := c
			one.name, one.kind, one.upstream, one.model = c.name+"/"+kind+" over "+name, kind, name, vendorsByName[name].model
			one.want.ID = someUUID
			all = append(all, one)
		}
	}
	return all
}

const say = " [[emulate:say=Hello from upstream]]"

var sdkHello = observation{Role: "assistant", Text: "Hello from upstream", Finish: "stop"}

func sdkTextCases() []testCase {
	parsed := observation{Role: "assistant", Text: `{"city":"some city","degrees":1}`, Finish: "stop", Parsed: &weather{"some city", 1}}
	seen := observation{Role: "assistant", Text: "You said: {prompt} (with 1 attachments)", Finish: "stop"}
	cancelled := observation{Text: "Hello from upstream"}
	return slices.Concat(
		overVendors(testCase{name: "text", want: sdkHello, sdkColumns: sdkColumns{prompt: say}}, "create", "stream"),
		overVendors(testCase{name: "schema", want: parsed}, "parse"),
		overVendors(testCase{name: "image", want: seen, sdkColumns: sdkColumns{sdkInput: sdkInput{Image: true}}}, "create"),
		overVendors(testCase{name: "count"}, "count")[:1],
		overVendors(testCase{name: "cancel", want: cancelled, sdkColumns: sdkColumns{prompt: afterText("stall")}}, "cancel"),
	)
}

// openaiEvents stands for the number of events that OpenAI sends up to the first text.
const openaiEvents = "{events}"

// afterText returns directives for a stream that has one piece of text, and then a fault. The
// vendors send a different number of events before the text.
func afterText(fault string) string {
	return " [[emulate:say=Hello from upstream;lump]]" +
		"[[emulate:on=anthropic;" + fault + "=4]][[emulate:on=openai;" + fault + "=" + openaiEvents + "]][[emulate:on=gemini;" + fault + "=1]]"
}

func sdkToolCases() []testCase {
	use := func(name string) call { return call{Name: name, Args: map[string]string{"city": "some city"}} }
	one := observation{Role: "assistant", Finish: "tool_calls", Calls: []call{use("get_weather")}}
	one.Then = "The tools answered: rain"
	two := one
	two.Calls, two.Then = append(slices.Clone(one.Calls), use("get_time")), "The tools answered: rain and noon"
	again := sdkInput{Again: true}
	parallel := testCase{name: "parallel tools", tools: true, want: two, sdkColumns: sdkColumns{sdkInput: again, prompt: " call get_weather and get_time"}}
	short := parallel
	short.short = true
	return slices.Concat(
		overVendors(short, "stream"),
		overVendors(parallel, "create"),
		overVendors(testCase{name: "tool", tools: true, want: one, sdkColumns: sdkColumns{sdkInput: again, prompt: " call get_weather"}}, "create", "stream"),
		overVendors(testCase{name: "thinking", tools: true, want: two, sdkColumns: sdkColumns{
			sdkInput: sdkInput{Again: true, Think: true}, prompt: " call get_weather and get_time",
		}}, "create", "stream"),
	)
}

// sdkGatewayErrors are errors that the gateway finds before it calls a vendor.
func sdkGatewayErrors() []testCase {
	refused := func(name string, want failure, c testCase) []testCase {
		c.name, c.want.Error = name, &want
		all := overVendors(c, "create", "stream")
		all = slices.DeleteFunc(all, func(c testCase) bool { return c.upstream != "anthropic" })
		for i := range all {
			if c.model != "" {
				all[i].model = c.model
			}
		}
		return all
	}
	return slices.Concat(
		refused("wrong key", failure{Status: 401, Code: "AUTH_INVALID_KEY", Message: "key"}, testCase{key: "wrong"}),
		refused("wrong scope", failure{Status: 403, Code: "AUTH_FORBIDDEN", Message: "chat"}, testCase{key: "embedder"}),
		refused("unknown model", failure{Status: 404, Code: "MODEL_NOT_FOUND", Message: "nope"}, testCase{model: "nope"}),
		refused("bad input", failure{Status: 400, Code: "INVALID_REQUEST", Message: "must be an integer of at least 1"},
			testCase{sdkColumns: sdkColumns{sdkInput: sdkInput{Max: -1}}}),
		refused("too large", failure{Status: 413, Code: "REQUEST_TOO_LARGE", Message: "too large"},
			testCase{sdkColumns: sdkColumns{prompt: strings.Repeat(" long", maxBody/5)}}),
		refused("budget used up", failure{Status: 402, Code: "BUDGET_EXCEEDED", Message: "budget"}, testCase{key: "poor"}),
		refused("rate limited", failure{Status: 429, Code: "RATE_LIMIT_EXCEEDED", Message: "limit of 1 token per minute"}, testCase{key: "slow"}),
	)
}

// sdkVendorErrors are errors of the vendor, also in the middle of a stream.
func sdkVendorErrors() []testCase {
	refused := func(name, fault string, want failure) []testCase {
		c := testCase{name: name, retry: true, want: observation{Error: &want}, sdkColumns: sdkColumns{prompt: " [[emulate:" + fault + "]]"}}
		return overVendors(c, "create", "stream")
	}
	broken := observation{Text: "Hello from upstream", Error: &failure{Code: "PROVIDER_STREAM_INTERRUPTED", Message: "the provider"}}
	return slices.Concat(
		refused("vendor rate-limited", "429", failure{Status: 429, Code: "PROVIDER_RATE_LIMITED", Message: "the provider rate-limited"}),
		refused("vendor failed", "500", failure{Status: 502, Code: "PROVIDER_UPSTREAM_ERROR", Message: "the provider"}),
		refused("vendor overloaded", "overloaded", failure{Status: 503, Code: "PROVIDER_OVERLOADED", Message: "the provider"}),
		overVendors(testCase{name: "stream broken", want: broken, sdkColumns: sdkColumns{prompt: afterText("error")}}, "stream"),
	)
}

// asForwarded returns the case with the error of the vendor, if the gateway forwards an error
// event of the vendor. OpenAI's event has a code of its own.
func (c testCase) asForwarded(lib library) testCase {
	if !c.failsMidStream() {
		return c
	}
	want := *c.want.Error
	switch lib.sdk.protocol + " over " + c.upstream {
	case "messages over anthropic":
		want.Message = "Overloaded"
	case "responses over openai":
		want.Code, want.Message = "server_is_overloaded", "Our servers are currently overloaded"
	}
	c.want.Error = &want
	return c
}
