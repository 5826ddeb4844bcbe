package anthropic

// buildToolChoice returns the tool_choice member, or nil for the default. If the request
// defines no tools, it returns the choice none, so that the model does not call the tools of
// earlier turns.
func (o *requestTranslator) buildToolChoice() ([]byte, error) {
	if o.toolsUndefined {
		return []byte(`{"type":"none"}`), nil
	}
	kind, name, err := o.parseToolChoice()
	if err != nil {
		return nil, err
	}
	noParallel := string(o.fields.parallelToolCalls) == "false"
	if kind == "" && !noParallel {
		return nil, nil
	}
	if kind == "" {
		kind = "auto"
	}
	dst := appendMember([]byte{'{'}, "type", quoteString(kind))
	if name != nil {
		dst = appendMember(dst, "name", o.names.toUpstream(name))
	}
	if noParallel && kind != "none" {
		dst = append(dst, `"disable_parallel_tool_use":true,`...)
	}
	return closeWith(dst, "}"), nil
}

// parseToolChoice returns the kind of choice in the Messages format. name is the name of
// the tool if the choice names one.
func (o *requestTranslator) parseToolChoice() (kind string, name []byte, err error) {
	choice := stringValue(o.fields.toolChoice)
	var t toolDefinition
	if isObject(o.fields.toolChoice) {
		t.readFrom(o.fields.toolChoice)
		t.readFrom(t.function)
		choice = t.kind()
	}
	switch choice {
	case "", "auto", "none", "any":
		return choice, nil, nil
	case "required":
		return "any", nil, nil
	case "function", "tool":
		return "tool", t.name, nil
	}
	return "", nil, unsupportedError("tool_choice", `the value must be "auto", "none", "required" or a single function`)
}

func (o *requestTranslator) mustCallTool() bool {
	kind, _, _ := o.parseToolChoice()
	return len(o.tools) > 0 && (kind == "any" || kind == "tool")
}
