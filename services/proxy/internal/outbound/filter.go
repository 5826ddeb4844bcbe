package outbound

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/requestbody"
)

// checkMember reports whether a member is sent to the upstream. It records a removed member
// as dropped if the upstream loses information that the proxy cannot add to the response.
func (e *bodyEditor) checkMember(p *requestbody.Member, name []byte) (stays bool, err error) {
	w, v := e.wire, e.req.MemberValue(p)
	switch {
	case containsName(w.Drop, name):
		if !isDefaultValue(name, v) && !isHandledByProxy(name) {
			e.noteDropped(string(name))
		}
		return false, nil
	case w.DropEmpty && e.isEmptyOrOrphan(name, v):
		if !jsonscan.IsNull(v) {
			e.noteDropped(string(name))
		}
		return false, nil
	case containsName(w.Reject, name):
		if !isDefaultValue(name, v) {
			return false, errUnsupported(string(name))
		}
		return false, nil
	case !e.acceptsValue(name, v):
		return false, errUnsupportedValue(string(name), w.AllowedValues[string(name)])
	case containsName(w.DropDefault, name) && isDefaultValue(name, v), e.fixed.removed == p:
		return false, nil
	}
	if to, ok := w.Rename[string(name)]; ok && e.req.FindMember(to) != nil {
		return false, nil
	}
	if replacements := w.Values[string(name)]; replacements != nil && jsonscan.IsString(v) {
		if to, ok := replacements[jsonscan.DecodeText(v)]; ok && to == "" {
			e.noteDropped(string(name))
			return false, nil
		}
	}
	return string(name) != "reasoning_effort" || e.editReasoningEffort(p), nil
}

func (e *bodyEditor) acceptsValue(name []byte, v jsontext.Value) bool {
	allowed, limited := e.wire.AllowedValues[string(name)]
	return !limited || !jsonscan.IsString(v) || slices.Contains(allowed, jsonscan.DecodeText(v))
}

// isHandledByProxy reports whether the proxy itself implements a field for upstreams
// that do not receive it: usage in a stream, and the encoding of vectors.
func isHandledByProxy(name []byte) bool {
	return string(name) == "stream_options" || string(name) == "encoding_format"
}

func errUnsupported(name string) *apperr.Error {
	return apperr.New(apperr.UnsupportedParameter, "the provider does not support "+name+" for this model").With("param", name)
}

func errUnsupportedValue(name string, allowed []string) *apperr.Error {
	return apperr.New(apperr.UnsupportedParameter, name+" must be one of "+strings.Join(allowed, ", ")+" for this model at this provider").With("param", name)
}
