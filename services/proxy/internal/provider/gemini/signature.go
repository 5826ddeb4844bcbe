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
	// skipSignatureCheck is Google's marker for a call without a signature.
	skipSignatureCheck = "skip_thought_signature_validator"
	// signatureSeparator separates a call id from the signature appended to it.
	// Clients return ids unchanged, but not all of them return unknown members.
	signatureSeparator = openai.SignatureSeparator
	// generatedIDPrefix starts the ids generated for calls that came without one.
	// They are not sent back to Google.
	generatedIDPrefix = "call_gen_"
	// reasoningFormat marks Google's signatures in reasoning_details.
	reasoningFormat = "google-gemini-v1"
)

// signatureMode says whether signatures are sent back.
type signatureMode bool

const (
	replaySignatures signatureMode = true
	omitSignatures   signatureMode = false
)

// isSignatureError reports whether Google rejected the request because of its
// signatures, as it does with those of another model.
func isSignatureError(err error) bool {
	if apperr.CodeOf(err) != apperr.ProviderBadRequest {
		return false
	}
	text := strings.ToLower(apperr.From(err).Message)
	return strings.Contains(text, "thought signature") || strings.Contains(text, "thought_signature")
}

// withSignature returns the call id for the client: id with the signature appended.
func withSignature(id, signature []byte) []byte {
	raw, err := base64.StdEncoding.DecodeString(string(signature))
	if err != nil || len(raw) == 0 || base64.StdEncoding.EncodeToString(raw) != string(signature) {
		return id
	}
	id = append(bytes.Clone(id), signatureSeparator...)
	return base64.RawURLEncoding.AppendEncode(id, raw)
}

// splitSignature separates what withSignature joined.
func splitSignature(id []byte) (bare, signature []byte) {
	bare, encoded, ok := bytes.Cut(id, []byte(signatureSeparator))
	raw, err := base64.RawURLEncoding.DecodeString(string(encoded))
	if !ok || err != nil || len(raw) == 0 {
		return id, nil
	}
	return bare, base64.StdEncoding.AppendEncode(nil, raw)
}

// generateCallID returns the id of the nth call of a response.
func generateCallID(response string, n int) []byte {
	return []byte(generatedIDPrefix + response + "_" + strconv.Itoa(n))
}

// writeCallID writes an id, unless it was generated here.
func writeCallID(o *jsonWriter, id []byte) {
	if len(id) > 0 && !bytes.HasPrefix(id, []byte(generatedIDPrefix)) {
		o.key("id").quote(id)
	}
}

// extraContentSignature returns the signature in extra_content, where Google's
// OpenAI-compatible API puts it.
func extraContentSignature(v jsontext.Value) []byte {
	for name, v := range jsonscan.Members(v) {
		if string(name) != "google" {
			continue
		}
		for name, v := range jsonscan.Members(v) {
			if string(name) == "thought_signature" && !isBlank(v) {
				return jsonscan.DecodeString(v)
			}
		}
	}
	return nil
}

// lastSignature returns the last of Google's signatures in reasoning_details.
func lastSignature(details jsontext.Value) (signature jsontext.Value) {
	for entry := range jsonscan.Elements(details) {
		var data jsontext.Value
		isGoogle := false
		for name, v := range jsonscan.Members(entry) {
			switch string(name) {
			case "data":
				data = v
			case "format":
				isGoogle = string(v) == `"`+reasoningFormat+`"`
			}
		}
		if isGoogle && !isBlank(data) {
			signature = data
		}
	}
	return signature
}
