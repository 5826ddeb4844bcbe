package requestbody

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// GeminiStatePrefix starts every thought signature that the gateway writes. It is the base64
// form of "sbx1.{". The signature as a whole is base64, because several clients decode it.
const GeminiStatePrefix = "c2J4MS57"

// IsGeminiState reports whether the gateway wrote the signature, to keep the reasoning of an
// upstream of another protocol.
func IsGeminiState(signature jsontext.Value) bool {
	return bytes.HasPrefix(stripQuotes(signature), []byte(GeminiStatePrefix))
}

// placeholderSignatures are values that Google documents for calls without a signature. Some
// clients send them in base64.
var placeholderSignatures = []string{
	"skip_thought_signature_validator", "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=",
	"context_engineering_is_the_way_to_go", "Y29udGV4dF9lbmdpbmVlcmluZ19pc190aGVfd2F5X3RvX2dv",
}

// IsPlaceholderSignature reports whether a signature only stands for a missing one.
func IsPlaceholderSignature(signature jsontext.Value) bool {
	return slices.Contains(placeholderSignatures, string(stripQuotes(signature)))
}

// googleHosts are hosts whose files only Google can read, or reads in its own way.
var googleHosts = []string{"generativelanguage.googleapis.com", "storage.googleapis.com", "youtube.com", "youtu.be"}

// IsPublicURL reports whether every vendor can fetch the URI, which is a JSON string.
func IsPublicURL(uri jsontext.Value) bool {
	rest, ok := strings.CutPrefix(jsonscan.DecodeText(uri), "https://")
	if !ok {
		rest, ok = strings.CutPrefix(jsonscan.DecodeText(uri), "http://")
	}
	host, _, _ := strings.Cut(rest, "/")
	return ok && host != "" && !slices.ContainsFunc(googleHosts, func(known string) bool {
		return host == known || strings.HasSuffix(host, "."+known)
	})
}
