package clients

import "strings"

var vendorPython = failureStyle{
	class: func(c testCase) string {
		if c.want.Error.Status == 402 {
			return "APIStatusError"
		}
		return vendorClass(c)
	},
	calls: callsOfVendorLibrary,
	// The text is the body of the exception. docs/errors.md says so.
	flat:       shows{status: true, header: true, text: true, bareTitle: true},
	nested:     shows{status: true, code: true, header: true, text: true},
	amidFlat:   shows{text: true},
	amidNested: shows{code: true, text: true},
}

var openaiPython = library{name: "openai-python", run: python.program("openai_client", "run.py"), kinds: everything, fewerCases: []string{interleaved + "/helper"}, fails: vendorPython}

var langchainPython = library{
	name: "langchain python", run: python.program("langchain_client", "run.py"), kinds: noModels,
	hides: map[string][]string{"": {"id", "role", "type"}, "stream": {"calls"}, "embed": {"tokens"}},
	fails: langchainPythonManners(),
}

func langchainPythonManners() failureStyle {
	classes := map[int]string{
		0: "APIError", 400: "OpenAIInvalidRequestError", 401: "OpenAIAuthenticationError", 402: "APIStatusError", 403: "OpenAIPermissionDeniedError",
		404: "OpenAIModelNotFoundError", 429: "OpenAIRateLimitError", 502: "OpenAIAPIError", 503: "OpenAIAPIError", 504: "OpenAIAPIError",
	}
	m := vendorPython
	m.class = func(c testCase) string {
		// It searches a text that contains only the nested message.
		if c.nested && c.want.Error.Code == "CONTEXT_LENGTH_EXCEEDED" {
			return "OpenAIContextOverflowError"
		}
		return classes[c.want.Error.Status]
	}
	return m
}

var llamaindexPython = library{
	name: "llamaindex python", run: pythonLlamaIndex.program("llamaindex_client", "run.py"), kinds: strings.Fields("chat stream parse embed"), fewerCases: []string{interleaved + "/stream"},
	hides: map[string][]string{"": {"id", "type"}, "parse": {"role", "text", "finish", "tokens"}, "embed": {"tokens"}},
	fails: llamaindexPythonManners(),
}

// llamaindexPythonManners describes a library that is configured for one retry.
func llamaindexPythonManners() failureStyle {
	m := vendorPython
	m.flat.bareTitle = false // its older openai library shows the whole body
	m.calls = func(c testCase) int {
		if c.retry {
			return 2
		}
		return 1
	}
	return m
}
