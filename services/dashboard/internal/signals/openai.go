package signals

// readChatRequest reads a request of the chat completions API.
func (c *conversation) readChatRequest(o object) {
	format := o.object("response_format")
	switch format.text("type") {
	case "json_object":
		c.wantsJSON = true
	case "json_schema":
		c.wantsJSON, c.schema = true, format.object("json_schema")["schema"]
	}
	for _, tool := range o.objects("tools") {
		if tool.object("function") == nil {
			c.tools = nil // calls of other tools have no described arguments
			break
		}
		c.addTool(tool.object("function").text("name"), tool.object("function")["parameters"])
	}
	for _, m := range o.objects("messages") {
		c.question = ""
		if m.text("role") == "user" {
			c.question = joinTexts(m["content"], "text")
		}
		for _, call := range m.objects("tool_calls") {
			c.remember(call.object("function").text("name"), call.object("function").text("arguments"))
		}
	}
}

func (c *conversation) readChatResponse(o object) {
	choices := o.objects("choices")
	if len(choices) == 0 {
		return
	}
	c.hasResponse = true
	m := choices[0].object("message")
	c.text = joinTexts(m["content"], "text")
	for _, call := range m.objects("tool_calls") {
		c.addCall(call.object("function").text("name"), call.object("function").text("arguments"))
	}
	switch finish := choices[0].text("finish_reason"); {
	case finish == "content_filter" || m.text("refusal") != "":
		c.finish = finishRefusal
	case finish == "length":
		c.finish = finishLength
	}
}

// readResponsesRequest reads a request of the responses API.
func (c *conversation) readResponsesRequest(o object) {
	format := o.object("text").object("format")
	switch format.text("type") {
	case "json_object":
		c.wantsJSON = true
	case "json_schema":
		c.wantsJSON, c.schema = true, format["schema"]
	}
	for _, tool := range o.objects("tools") {
		if tool.text("type") != "function" {
			c.tools = nil // calls of other tools have no described arguments
			break
		}
		c.addTool(tool.text("name"), tool["parameters"])
	}
	if text, ok := o["input"].(string); ok {
		c.question = text
	}
	for _, item := range o.objects("input") {
		c.question = ""
		if item.text("role") == "user" {
			c.question = joinTexts(item["content"], "input_text")
		}
		if item.text("type") == "function_call" {
			c.remember(item.text("name"), item.text("arguments"))
		}
	}
}

func (c *conversation) readResponsesResponse(o object) {
	c.hasResponse = true
	for _, item := range o.objects("output") {
		switch item.text("type") {
		case "message":
			c.text += joinTexts(item["content"], "output_text")
			for _, part := range item.objects("content") {
				if part.text("type") == "refusal" {
					c.finish = finishRefusal
				}
			}
		case "function_call":
			c.addCall(item.text("name"), item.text("arguments"))
		case "reasoning":
		default:
			c.addCall("", "{}") // another tool: the response is not empty
			c.tools = nil
		}
	}
	switch o.object("incomplete_details").text("reason") {
	case "max_output_tokens":
		c.finish = finishLength
	case "content_filter":
		c.finish = finishRefusal
	}
}
