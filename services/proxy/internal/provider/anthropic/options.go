package anthropic

import (
	"bytes"

	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
)

// leastTopP is what the format still takes beside thinking.
const leastTopP = 0.95

// appendSampling writes temperature and its kin. The format's temperatures end
// at 1. Beside thinking it takes none, and beside a temperature no top_p.
func (o *outbound) appendSampling(dst []byte) []byte {
	temperature, topP := o.in.temperature, o.in.topP
	if n, ok := number(temperature); ok && n > 1 {
		o.drop("temperature")
		temperature = []byte("1")
	}
	if o.thinks && temperature != nil {
		o.drop("temperature")
		temperature = nil
	}
	if n, _ := number(topP); topP != nil && (o.thinks && n < leastTopP || temperature != nil) {
		o.drop("top_p")
		topP = nil
	}
	topK := o.in.topK
	if o.thinks && topK != nil {
		o.drop("top_k")
		topK = nil
	}
	dst = appendMember(dst, "temperature", temperature)
	dst = appendMember(dst, "top_p", topP)
	return appendMember(dst, "top_k", topK)
}

// stopSequences are those of the client, without the white ones, which the
// format refuses.
func (o *outbound) stopSequences() []byte {
	var out []byte
	add := func(v []byte) {
		if isBlank(v) {
			o.drop("stop")
		} else if isText(v) {
			out = append(append(out, v...), ',')
		}
	}
	add(o.in.stop)
	for v := range jsonscan.Elements(o.in.stop) {
		add(v)
	}
	if out == nil {
		return nil
	}
	return closed(append([]byte{'['}, out...), "]")
}

// maxUserID is as long as the format lets the name of a user be.
const maxUserID = 256

// metadata is the name of the client's user. The format has no room for other
// metadata, and wants nothing there by which a person can be known.
func (o *outbound) metadata() []byte {
	id := o.userID()
	if id == nil {
		return nil
	}
	return append(append([]byte(`{"user_id":`), id...), '}')
}

func (o *outbound) userID() (id []byte) {
	candidates := []struct {
		field string
		value []byte
	}{{"metadata", o.metadataUser()}, {"user", o.in.user}, {"safety_identifier", o.in.safety}}
	for _, c := range candidates {
		name := jsonscan.Text(c.value)
		switch {
		case len(name) == 0:
		case id != nil || len(name) > maxUserID || bytes.IndexByte(name, '@') >= 0:
			o.drop(c.field)
		default:
			id = c.value
		}
	}
	return id
}

// metadataUser takes user_id out of the client's metadata.
func (o *outbound) metadataUser() (id []byte) {
	for name, v := range jsonscan.Members(o.in.metadata) {
		if string(name) == "user_id" && isText(v) {
			id = v
		} else {
			o.drop("metadata")
		}
	}
	return id
}

// serviceTier gives the tiers that the format has too.
func (o *outbound) serviceTier() []byte {
	switch word(o.in.tier) {
	case "auto", "standard_only":
		return o.in.tier
	case "default":
		return []byte(`"standard_only"`)
	}
	if o.in.tier != nil {
		o.drop("service_tier")
	}
	return nil
}
