package signals

import "strings"

// readMessagesRequest reads a request of Anthropic's messages API.
func (c *conversation) readMessagesRequest(o object) {
	for _, format := range []object{o.object("output_format"), o.object("output_config").object("format")} {
		if format.text("type") == "json_schema" {
			c.wantsJSON, c.schema = true, format["schema"]
		}
	}
	for _, tool := range o.objects("tools") {
		c.addTool(tool.text("name"), tool["input_schema"])
	}
	for _, m := range o.objects("messages") {
		c.question = ""
		if m.text("role") == "user" && !hasBlock(m, "tool_result") {
			c.question = joinTexts(m["content"], "text")
		}
		for _, block := range m.objects("content") {
			if block.text("type") == "tool_use" {
				c.remember(block.text("name"), encode(block["input"]))
			}
		}
	}
}

func hasBlock(m object, kind string) bool {
	for _, block := range m.objects("content") {
		if block.text("type") == kind {
			return true
		}
	}
	return false
}

func (c *conversation) readMessagesResponse(o object) {
	c.hasResponse = true
	for _, block := range o.objects("content") {
		switch kind := block.text("type"); {
		case kind == "text":
			c.text += block.text("text")
		case kind == "tool_use":
			c.addCall(block.text("name"), encode(block["input"]))
		case !strings.Contains(kind, "thinking"):
			c.addCall("", "{}") // a tool that runs at the provider
			c.tools = nil
		}
	}
	switch o.text("stop_reason") {
	case "max_tokens", "model_context_window_exceeded":
		c.finish = finishLength
	case "refusal":
		c.finish = finishRefusal
	}
}

// readGeminiRequest reads a request of the Gemini API. Its field names have two spellings.
func (c *conversation) readGeminiRequest(o object) {
	config := either(o, "generationConfig", "generation_config")
	mime := config.text("responseMimeType") + config.text("response_mime_type")
	c.wantsJSON = mime == "application/json"
	for _, name := range []string{"responseSchema", "response_schema", "responseJsonSchema", "response_json_schema"} {
		if config[name] != nil {
			c.schema = config[name]
		}
	}
	for _, tool := range o.objects("tools") {
		for _, f := range append(tool.objects("functionDeclarations"), tool.objects("function_declarations")...) {
			schema := f["parameters"]
			if f["parametersJsonSchema"] != nil {
				schema = f["parametersJsonSchema"]
			}
			c.addTool(f.text("name"), schema)
		}
	}
	for _, m := range o.objects("contents") {
		c.question = ""
		for _, part := range m.objects("parts") {
			if role := m.text("role"); role == "user" || role == "" {
				c.question += part.text("text")
			}
			if call := either(part, "functionCall", "function_call"); call != nil {
				c.remember(call.text("name"), encode(call["args"]))
			}
		}
	}
}

func either(o object, names ...string) object {
	for _, name := range names {
		if found := o.object(name); found != nil {
			return found
		}
	}
	return nil
}

func (c *conversation) readGeminiResponse(o object) {
	candidates := o.objects("candidates")
	if len(candidates) == 0 {
		return
	}
	c.hasResponse = true
	for _, part := range candidates[0].object("content").objects("parts") {
		if part["thought"] != true {
			c.text += part.text("text")
		}
		if call := part.object("functionCall"); call != nil {
			c.addCall(call.text("name"), encode(call["args"]))
		}
	}
	switch candidates[0].text("finishReason") {
	case "MAX_TOKENS":
		c.finish = finishLength
	case "SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "RECITATION":
		c.finish = finishRefusal
	}
}
