package clients

var (
	sdkKinds         = []string{"create", "stream", "parse", "count", "cancel"}
	sdkKindsNoCounts = []string{"create", "stream", "parse", "cancel"}
)

func anthropicSDK(agent string) *sdk {
	return &sdk{
		protocol: "messages", agent: agent, path: "/proxy",
		finishes: map[string]string{"stop": "end_turn", "tool_calls": "tool_use"},
	}
}

func responsesSDK(agent string) *sdk {
	return &sdk{
		protocol: "responses", agent: agent, path: "/proxy/v1",
		finishes: map[string]string{"stop": "completed", "tool_calls": "completed"},
	}
}

func genaiSDK(agent string) *sdk {
	return &sdk{
		protocol: "gemini", agent: agent, path: "/proxy",
		finishes: map[string]string{"stop": "STOP", "tool_calls": "STOP"},
	}
}

// classByStatus returns the classes of exceptions by status; 0 is an error in a stream.
func classByStatus(classes map[int]string) func(testCase) string {
	return func(c testCase) string { return classes[c.want.Error.Status] }
}

// A response of the Responses API has no role, and its streams hide the headers.
var (
	hidesRole         = map[string][]string{"": {"role"}}
	hidesRoleStreamID = map[string][]string{"": {"role"}, "stream": {"id"}}
)

var (
	showsAll    = shows{status: true, code: true, header: true, text: true, id: true}
	showsAmid   = shows{code: true, text: true}
	showsAmidID = shows{code: true, text: true, id: true}
)

var anthropicPython = library{
	name: "anthropic-python", run: pythonVendors.program("anthropic_client", "run.py"), kinds: sdkKinds, sdk: anthropicSDK("anthropic-python"),
	fails: failureStyle{
		class: classByStatus(map[int]string{
			0: "APIStatusError", 400: "BadRequestError", 401: "AuthenticationError", 402: "APIStatusError", 403: "PermissionDeniedError",
			404: "NotFoundError", 413: "ContentTooLargeError", 429: "RateLimitError", 502: "InternalServerError", 503: "ServiceUnavailableError",
		}),
		calls: callsOfVendorLibrary, flat: showsAll, amidFlat: showsAmidID,
	},
}

var anthropicNode = library{
	name: "anthropic-node", run: node.program("anthropic", "run.mjs"), kinds: sdkKinds, sdk: anthropicSDK("anthropic-node"),
	hides: map[string][]string{"parse": {"id"}},
	fails: failureStyle{
		class: classByStatus(map[int]string{
			0: "APIError", 400: "BadRequestError", 401: "AuthenticationError", 402: "APIError", 403: "PermissionDeniedError",
			404: "NotFoundError", 413: "ContentTooLargeError", 429: "RateLimitError", 502: "InternalServerError", 503: "ServiceUnavailableError",
		}),
		calls: callsOfVendorLibrary, flat: showsAll, amidFlat: showsAmidID,
	},
}

var responsesPython = library{
	name: "openai-python responses", run: pythonVendors.program("responses_client", "run.py"), kinds: sdkKindsNoCounts, sdk: responsesSDK("openai-python"),
	hides: hidesRoleStreamID,
	fails: failureStyle{class: responsesClass(vendorPython.class, "APIStatusError"), calls: callsOfVendorLibrary, flat: showsAll, amidFlat: showsAmid},
}

var responsesNode = library{
	name: "openai-node responses", run: node.program("responses", "run.mjs"), kinds: sdkKindsNoCounts, sdk: responsesSDK("openai-node"),
	hides: hidesRoleStreamID,
	fails: failureStyle{class: responsesNodeClass, calls: callsOfVendorLibrary, flat: showsAll, amidFlat: showsAmid},
}

// responsesNodeClass returns the classes of the library for Node, which turns an error event of
// OpenAI into an error.
func responsesNodeClass(c testCase) string {
	if c.failsMidStream() && c.upstream == "openai" {
		return "APIError"
	}
	return responsesClass(vendorClass, "APIError")(c)
}

// responsesClass returns the classes of OpenAI's libraries. other is the class for a status
// without a class of its own. The libraries show a failed response without an exception, and
// the programs raise FailedResponse.
func responsesClass(usual func(testCase) string, other string) func(testCase) string {
	return func(c testCase) string {
		switch {
		case c.failsMidStream():
			return "FailedResponse"
		case c.want.Error.Status == 413:
			return other
		}
		return usual(c)
	}
}

// Google's SDKs do not retry by default.
func oneCall(testCase) int { return 1 }

var genaiPython = library{
	name: "google-genai python", run: pythonVendors.program("genai_client", "run.py"), kinds: sdkKinds, sdk: genaiSDK("google-genai-python"),
	fails: failureStyle{
		class: func(c testCase) string {
			if s := c.want.Error.Status; s > 0 && s < 500 {
				return "ClientError"
			}
			return "ServerError"
		},
		calls: oneCall, flat: showsAll, amidFlat: showsAmid,
	},
}

var genaiNode = library{
	name: "google-genai js", run: node.program("genai", "run.mjs"), kinds: sdkKinds, sdk: genaiSDK("google-genai-node"),
	fails: failureStyle{
		class: func(testCase) string { return "ApiError" }, calls: oneCall,
		flat: shows{status: true, code: true, text: true}, amidFlat: showsAmid,
	},
}
