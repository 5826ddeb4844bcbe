package clients

import "strings"

var (
	everything = []string{"chat", "stream", "helper", "parse", "embed", "models", "model"}
	noModels   = everything[:5]
)

var vendorClasses = map[int]string{
	0: "APIError", 400: "BadRequestError", 401: "AuthenticationError", 402: "APIError", 403: "PermissionDeniedError", 404: "NotFoundError",
	429: "RateLimitError", 502: "InternalServerError", 503: "InternalServerError", 504: "InternalServerError",
}

func vendorClass(c testCase) string { return vendorClasses[c.want.Error.Status] }

// callsOfVendorLibrary returns the number of calls of OpenAI's libraries: three if the gateway asks
// for a retry.
func callsOfVendorLibrary(c testCase) int {
	if c.retry {
		return 3
	}
	return 1
}

// transient reports whether libraries that ignore X-Should-Retry retry the case.
func transient(c testCase) bool { return c.want.Error.Status == 429 || c.want.Error.Status >= 500 }

var vendorNode = failureStyle{
	class: vendorClass, calls: callsOfVendorLibrary,
	flat:       shows{status: true, header: true, text: true},
	nested:     shows{status: true, code: true, header: true, text: true},
	amidFlat:   shows{text: true},
	amidNested: shows{code: true, text: true},
}

var openaiNode = library{name: "openai-node", run: node.program("openai", "run.mjs"), kinds: everything, fails: vendorNode}

var openaiNode5 = library{name: "openai-node 5.23.2", run: node.program("openai5", "run.mjs"), kinds: everything, fails: vendorNode}

var aiSDK = library{
	name: "ai sdk", run: node.program("aisdk", "run.mjs"), kinds: noModels,
	hides: map[string][]string{"": {"role", "type"}},
	fails: failureStyle{
		class: func(c testCase) string {
			switch {
			case c.failsMidStream() && c.nested:
				return "AI_StreamProviderError"
			case c.failsMidStream():
				return "AI_TypeValidationError"
			case transient(c):
				return "AI_RetryError"
			}
			return "AI_APICallError"
		},
		calls: func(c testCase) int {
			if transient(c) {
				return 3
			}
			return 1
		},
		flat:       shows{status: true, header: true},
		nested:     shows{status: true, code: true, header: true, text: true},
		amidFlat:   shows{text: true},
		amidNested: shows{text: true},
	},
}

var langchainNode = library{
	name: "langchain js", run: node.program("langchain", "run.mjs"), kinds: noModels,
	hides: map[string][]string{"": {"id", "role", "type"}, "stream": {"calls"}, "embed": {"tokens"}},
	fails: langchainManners(),
}

func langchainManners() failureStyle {
	m := vendorNode
	m.class = func(c testCase) string {
		if c.want.Error.Code == "CONTEXT_LENGTH_EXCEEDED" {
			return "ContextOverflowError"
		}
		return vendorClass(c)
	}
	// It waits for a rate limit only if Retry-After is set, and it is configured for one
	// retry.
	m.calls = func(c testCase) int {
		if transient(c) && (c.retry || c.want.Error.Status >= 500) {
			return 2
		}
		return 1
	}
	return m
}

var llamaindexNode = library{
	name: "llamaindex ts", run: node.program("llamaindex", "run.mjs"), kinds: strings.Fields("chat stream embed"), fewerCases: []string{interleaved + "/stream"},
	hides: map[string][]string{"": {"id", "role", "type"}, "embed": {"tokens"}},
	fails: vendorNode,
}
