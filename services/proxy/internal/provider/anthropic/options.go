package anthropic

import (
	"bytes"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// minThinkingTopP is the smallest top_p that the Anthropic API accepts with thinking.
const minThinkingTopP = 0.95

// appendSampling appends temperature, top_p and top_k. The Anthropic API limits
// temperature to 1 and rejects temperature together with top_p. With thinking it rejects
// temperature, top_k, and a top_p below minThinkingTopP.
func (o *requestTranslator) appendSampling(dst []byte) []byte {
	temperature, topP := o.fields.temperature, o.fields.topP
	if n, ok := parseNumber(temperature); ok && n > 1 {
		o.reportDropped("temperature")
		temperature = []byte("1")
	}
	if o.thinkingEnabled && temperature != nil {
		o.reportDropped("temperature")
		temperature = nil
	}
	if n, _ := parseNumber(topP); topP != nil && (o.thinkingEnabled && n < minThinkingTopP || temperature != nil) {
		o.reportDropped("top_p")
		topP = nil
	}
	topK := o.fields.topK
	if o.thinkingEnabled && topK != nil {
		o.reportDropped("top_k")
		topK = nil
	}
	dst = appendMember(dst, "temperature", temperature)
	dst = appendMember(dst, "top_p", topP)
	return appendMember(dst, "top_k", topK)
}

// buildStopSequences returns the client's stop sequences. It drops blank ones, because the
// Anthropic API rejects them.
func (o *requestTranslator) buildStopSequences() []byte {
	var out []byte
	add := func(v []byte) {
		if isBlank(v) {
			o.reportDropped("stop")
		} else if jsonscan.IsString(v) {
			out = append(append(out, v...), ',')
		}
	}
	add(o.fields.stop)
	for v := range jsonscan.Elements(o.fields.stop) {
		add(v)
	}
	if out == nil {
		return nil
	}
	return closeWith(append([]byte{'['}, out...), "]")
}

// maxUserID is the maximum length of user_id in the Anthropic API, in bytes.
const maxUserID = 256

// buildMetadata returns metadata with the id of the client's user. The Anthropic API
// supports no other metadata, and does not allow personal data such as e-mail addresses.
func (o *requestTranslator) buildMetadata() []byte {
	id := o.findUserID()
	if id == nil {
		return nil
	}
	return append(append([]byte(`{"user_id":`), id...), '}')
}

func (o *requestTranslator) findUserID() (id []byte) {
	candidates := []struct {
		field string
		value []byte
	}{{"metadata", o.metadataUserID()}, {"user", o.fields.user}, {"safety_identifier", o.fields.safetyIdentifier}}
	for _, c := range candidates {
		name := jsonscan.DecodeString(c.value)
		switch {
		case len(name) == 0:
		case id != nil || len(name) > maxUserID || bytes.IndexByte(name, '@') >= 0:
			o.reportDropped(c.field)
		default:
			id = c.value
		}
	}
	return id
}

func (o *requestTranslator) metadataUserID() (id []byte) {
	for name, v := range jsonscan.Members(o.fields.metadata) {
		if string(name) == "user_id" && jsonscan.IsString(v) {
			id = v
		} else {
			o.reportDropped("metadata")
		}
	}
	return id
}

// mapServiceTier returns the service tier for the Anthropic API. It returns nil and reports
// the field as dropped if the Anthropic API has no such tier.
func (o *requestTranslator) mapServiceTier() []byte {
	switch stringValue(o.fields.serviceTier) {
	case "auto", "standard_only":
		return o.fields.serviceTier
	case "default":
		return []byte(`"standard_only"`)
	}
	if o.fields.serviceTier != nil {
		o.reportDropped("service_tier")
	}
	return nil
}
