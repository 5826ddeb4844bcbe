package anthropic

// toolChoice is which tools the model may call, nil if that is its own affair.
func (o *outbound) toolChoice() ([]byte, error) {
	if o.undefined {
		return []byte(`{"type":"none"}`), nil
	}
	kind, name, err := o.chosen()
	if err != nil {
		return nil, err
	}
	single := string(o.in.parallel) == "false"
	if kind == "" && !single {
		return nil, nil
	}
	if kind == "" {
		kind = "auto"
	}
	dst := appendMember([]byte{'{'}, "type", quoted(kind))
	if name != nil {
		dst = appendMember(dst, "name", o.names.clean(name))
	}
	if single && kind != "none" {
		dst = append(dst, `"disable_parallel_tool_use":true,`...)
	}
	return closed(dst, "}"), nil
}

// chosen is the kind of choice, in the format's words, and the tool's name if
// there is but one.
func (o *outbound) chosen() (kind string, name []byte, err error) {
	choice := word(o.in.toolChoice)
	var t tool
	if isObject(o.in.toolChoice) {
		t.read(o.in.toolChoice)
		t.read(t.function)
		choice = t.kind
	}
	switch choice {
	case "", "auto", "none", "any":
		return choice, nil, nil
	case "required":
		return "any", nil, nil
	case "function", "tool":
		return "tool", t.name, nil
	}
	return "", nil, unsupported("tool_choice", "it chooses among all tools, or one")
}

// forced tells whether the model has to call a tool.
func (o *outbound) forced() bool {
	kind, _, _ := o.chosen()
	return len(o.tools) > 0 && (kind == "any" || kind == "tool")
}
