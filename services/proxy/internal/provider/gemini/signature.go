package gemini

import (
	"bytes"
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/openai"
)

const (
	// noSignature is Google's word for a call that came from elsewhere.
	noSignature = "skip_thought_signature_validator"
	// signed separates a call's id from its signature in it. Clients give ids
	// back as they got them, and of other members that they do not know only
	// some.
	signed = openai.SignatureMark
	// made begins the ids of calls that came without one, which Google does
	// not want back.
	made = "call_gen_"
	// replayFormat is whose signatures are in reasoning_details.
	replayFormat = "google-gemini-v1"
)

// replaying is whether signatures are given back.
type replaying bool

const (
	replay replaying = true
	forget replaying = false
)

// mistrusted tells whether Google refused a request for its signatures, as it
// does with those of another model, which the conversation may have come from.
func mistrusted(err error) bool {
	if apperr.CodeOf(err) != apperr.ProviderBadRequest {
		return false
	}
	text := strings.ToLower(apperr.From(err).Message)
	return strings.Contains(text, "thought signature") || strings.Contains(text, "thought_signature")
}

// signedID is the id that the client gets.
func signedID(id, sign []byte) []byte {
	raw, err := base64.StdEncoding.DecodeString(string(sign))
	if err != nil || len(raw) == 0 || base64.StdEncoding.EncodeToString(raw) != string(sign) {
		return id
	}
	id = append(bytes.Clone(id), signed...)
	return base64.RawURLEncoding.AppendEncode(id, raw)
}

// splitID takes apart what signedID put together.
func splitID(id []byte) (bare, sign []byte) {
	bare, encoded, ok := bytes.Cut(id, []byte(signed))
	raw, err := base64.RawURLEncoding.DecodeString(string(encoded))
	if !ok || err != nil || len(raw) == 0 {
		return id, nil
	}
	return bare, base64.StdEncoding.AppendEncode(nil, raw)
}

// madeID is the id of the nth call of an answer.
func madeID(answer string, n int) []byte {
	return []byte(made + answer + "_" + strconv.Itoa(n))
}

// ownID writes an id, unless it is one of ours.
func ownID(o *out, id []byte) {
	if len(id) > 0 && !bytes.HasPrefix(id, []byte(made)) {
		o.key("id").quote(id)
	}
}

// signatureIn is the signature in extra_content, where Google's own layer of
// our format has it.
func signatureIn(v jsontext.Value) []byte {
	for name, v := range jsonscan.Members(v) {
		if string(name) != "google" {
			continue
		}
		for name, v := range jsonscan.Members(v) {
			if string(name) == "thought_signature" && !isBlank(v) {
				return jsonscan.Text(v)
			}
		}
	}
	return nil
}

// replayed is the last signature of Google's in reasoning_details.
func replayed(details jsontext.Value) (sign jsontext.Value) {
	for entry := range jsonscan.Elements(details) {
		var data jsontext.Value
		ours := false
		for name, v := range jsonscan.Members(entry) {
			switch string(name) {
			case "data":
				data = v
			case "format":
				ours = string(v) == `"`+replayFormat+`"`
			}
		}
		if ours && !isBlank(data) {
			sign = data
		}
	}
	return sign
}
