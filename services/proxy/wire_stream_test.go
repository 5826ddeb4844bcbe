package proxy_test

const done = "data: [DONE]\n\n"

// frame is an event that a client gets, given the choices and what follows.
func frame(choices, rest string) string {
	return `data: {"id":"chatcmpl-ID","object":"chat.completion.chunk","created":1,"model":"small","choices":` + choices + rest + "}\n\n"
}
