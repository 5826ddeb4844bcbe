package outbound

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/requestbody"
)

// BuildNative returns the body for an upstream of the client's own protocol. The bytes are the
// client's, except for the model name and what w requires. Of w, the lists of dropped, rejected
// and allowed fields, the replaced values and the limits apply. They name fields of the chat
// format or of the protocol itself. The other settings describe deviations from the chat format.
// The results mean the same as those of Build.
func BuildNative(r *requestbody.Request, model string, w *catalog.Wire) (pieces [][]byte, dropped []string, err error) {
	format := nativeFormats[r.Protocol]
	if !hasNativeRules(w) || format == nil {
		return ReplaceModel(r, model), nil, nil
	}
	e := nativeEditor{bodyEditor: bodyEditor{req: r, wire: w}, format: format}
	members := r.Members()
	for i := range members {
		if err := e.editMember(&members[i], model); err != nil {
			return nil, nil, err
		}
	}
	return e.assemblePieces(), e.dropped, nil
}

func hasNativeRules(w *catalog.Wire) bool {
	return w != nil && len(w.Drop)+len(w.Reject)+len(w.AllowedValues)+len(w.Values)+len(w.Limits) > 0
}

// nativeFormat describes where a protocol has the fields of a chat.
type nativeFormat struct {
	// chatNames maps paths to the names of the same fields in a chat. A path that is missing
	// has the same name.
	chatNames map[string][]string
	// parents lists the objects whose members are edited. required lists members that always
	// stay: without store, for example, the upstream would store the response.
	parents, required []string
	// usesCamelCase is set if clients can also write the names in snake_case.
	usesCamelCase bool
}

// fieldName returns the name of a member as it is in the lists.
func (f *nativeFormat) fieldName(name []byte) string {
	if !f.usesCamelCase || bytes.IndexByte(name, '_') < 0 {
		return string(name)
	}
	var camel []byte
	for i, part := range bytes.Split(name, []byte{'_'}) {
		if i > 0 && len(part) > 0 {
			camel = append(camel, bytes.ToUpper(part[:1])...)
			part = part[1:]
		}
		camel = append(camel, part...)
	}
	return string(camel)
}

var nativeFormats = map[requestbody.Protocol]*nativeFormat{
	requestbody.Responses: {
		chatNames: map[string][]string{
			"max_output_tokens": {"max_completion_tokens", "max_tokens"}, "reasoning.effort": {"reasoning_effort"},
			"text.format": {"response_format"}, "text.verbosity": {"verbosity"},
		},
		parents: []string{"reasoning", "text"}, required: []string{"model", "input", "stream", "store"},
	},
	requestbody.Messages: {
		chatNames: map[string][]string{
			"max_tokens": {"max_completion_tokens"}, "stop_sequences": {"stop"},
			"output_config.effort": {"reasoning_effort"}, "output_config.format": {"response_format"}, "metadata.user_id": {"user"},
		},
		parents: []string{"output_config", "metadata"}, required: []string{"model", "messages", "stream", "system"},
	},
	requestbody.Gemini: {
		chatNames: map[string][]string{
			"generationConfig.maxOutputTokens": {"max_completion_tokens", "max_tokens"}, "generationConfig.stopSequences": {"stop"},
			"generationConfig.temperature": {"temperature"}, "generationConfig.topP": {"top_p"}, "generationConfig.topK": {"top_k"},
			"generationConfig.seed": {"seed"}, "generationConfig.candidateCount": {"n"}, "generationConfig.responseLogprobs": {"logprobs"},
			"generationConfig.logprobs": {"top_logprobs"}, "generationConfig.presencePenalty": {"presence_penalty"},
			"generationConfig.frequencyPenalty": {"frequency_penalty"}, "serviceTier": {"service_tier"},
		},
		parents: []string{"generationConfig"}, required: []string{"model", "contents", "systemInstruction"},
		usesCamelCase: true,
	},
}

// nativeEditor edits a body of another protocol than chat completions.
type nativeEditor struct {
	bodyEditor
	format *nativeFormat
}

// editMember keeps, removes or changes one top-level member.
func (e *nativeEditor) editMember(p *requestbody.Member, model string) error {
	e.beginMember(&e.commas, int(p.NameStart))
	at, path := valueSpan(e.req, p), e.format.fieldName(e.req.MemberName(p))
	if path == "model" {
		e.commas.hasKept = true
		e.replaceSpan(at, quoteString(model))
		return nil
	}
	stays, err := e.editField(path, e.req.MemberValue(p), at)
	if !stays {
		e.removeMember(&e.commas, int(p.Start), int(p.NameStart), int(p.End))
	}
	e.commas.hasKept = e.commas.hasKept || stays
	return err
}

// editObject edits the members of a nested object. base is the offset of v in the body.
func (e *nativeEditor) editObject(path string, v jsontext.Value, base int) error {
	var s jsonscan.Reader
	s.ResetLimited(v, true)
	if !s.Enter(jsonscan.BeginObject) {
		return nil
	}
	var commas commaTracker
	for s.NextMember() {
		from, name := base+s.MemberStart(), base+s.Offset()-len(s.RawName())
		e.beginMember(&commas, name)
		inner := path + "." + e.format.fieldName(s.Name())
		value := s.Value()
		end := base + s.Offset()
		stays, err := e.editField(inner, value, span{end - len(value), end})
		if err != nil {
			return err
		}
		if !stays {
			e.removeMember(&commas, from, name, end)
		}
		commas.hasKept = commas.hasKept || stays
	}
	return nil
}

// editField applies the rules to one field. It reports whether the field stays.
func (e *nativeEditor) editField(path string, v jsontext.Value, at span) (stays bool, err error) {
	if slices.Contains(e.format.required, path) {
		return true, nil
	}
	for _, name := range e.chatNames(path) {
		if stays, err := e.applyRules(name, path, v, at); !stays || err != nil {
			return stays, err
		}
	}
	if slices.Contains(e.format.parents, path) {
		return true, e.editObject(path, v, at.from)
	}
	return true, nil
}

// chatNames returns the names under which rules can refer to a field.
func (e *nativeEditor) chatNames(path string) []string {
	return append([]string{path}, e.format.chatNames[path]...)
}

// applyRules applies the rules for one name of a field. It reports whether the field stays.
func (e *nativeEditor) applyRules(name, path string, v jsontext.Value, at span) (stays bool, err error) {
	w, key := e.wire, []byte(name)
	switch {
	case containsName(w.Drop, key):
		if !isDefaultValue(key, v) {
			e.noteDropped(path)
		}
		return false, nil
	case containsName(w.Reject, key):
		if !isDefaultValue(key, v) {
			return false, errUnsupported(path)
		}
		return false, nil
	case !e.acceptsValue(key, v):
		return false, errUnsupportedValue(path, w.AllowedValues[name])
	}
	if to, ok := w.Values[name][jsonscan.DecodeText(v)]; ok && jsonscan.IsString(v) {
		if to == "" {
			e.noteDropped(path)
			return false, nil
		}
		e.replaceSpan(at, quoteString(to))
	}
	if l, ok := w.Limits[name]; ok {
		e.clampNumber(at, v, l, []byte(path))
	}
	return true, nil
}
