package agent

import (
	"bytes"
	"strings"
)

// The vendors of SDKs.
const (
	openAI    = "openai"
	anthropic = "anthropic"
	google    = "google-genai"
)

// sdk is the SDK of a vendor for one language.
type sdk struct{ vendor, language string }

// sdks maps SDKs to names. The languages are values of the X-Stainless-Lang header and of
// the gl- part of Google's headers.
var sdks = func() map[sdk]string {
	all := map[sdk]string{}
	for _, vendor := range []string{openAI, anthropic, google} {
		for _, language := range []string{"csharp", "go", "java", "kotlin", "node", "php", "python", "ruby"} {
			all[sdk{vendor, language}] = vendor + "-" + language
		}
		all[sdk{vendor, "js"}] = vendor + "-node"
	}
	return all
}()

// bySDK recognises the SDKs of OpenAI, Anthropic and Google if the program that uses the
// SDK does not send a User-Agent of its own.
func bySDK(h Header, userAgent string, product []byte) string {
	api, _, hasAPI := strings.Cut(firstValue(h, "X-Goog-Api-Client"), " ")
	switch {
	case string(product) == "google-genai-sdk":
		return nameSDK(google, googleLanguage(userAgent))
	case hasAPI && isBrowser(product) && strings.HasPrefix(api, "google-genai-sdk/"):
		return nameSDK(google, googleLanguage(firstValue(h, "X-Goog-Api-Client")))
	}
	language, written := firstValue(h, "X-Stainless-Lang"), writtenLanguage(userAgent)
	switch {
	case language == "":
		return findSDK(classVendor(product), written)
	case isBrowser(product), len(product) <= maxMinified && strings.EqualFold(written, language):
		return nameSDK(protocolVendor(h), language)
	case strings.EqualFold(written, language):
		return nameSDK(classVendor(product), language)
	}
	return ""
}

// nameSDK returns the name of an SDK, and the name of the vendor if the language is new.
func nameSDK(vendor, language string) string {
	if name := findSDK(vendor, language); name != "" {
		return name
	}
	return vendor
}

func findSDK(vendor, language string) string {
	var scratch [maxName]byte
	return sdks[sdk{vendor, string(appendLower(scratch[:0], language))}]
}

// writtenLanguage returns the second part of the User-Agent of an SDK, such as
// "OpenAI/Python 2.20.0" or "AsyncAnthropic/Python 0.71.0".
func writtenLanguage(userAgent string) string {
	rest, ok := strings.CutPrefix(userAgent[len(Product(userAgent)):], "/")
	if !ok {
		return ""
	}
	return Product(rest)
}

// googleLanguage returns the language in "google-genai-sdk/1.30.0 gl-python/3.11.2".
func googleLanguage(value string) string {
	_, rest, _ := strings.Cut(value, " gl-")
	return Product(rest)
}

// maxMinified is the longest name of a class that a bundler has shortened, as in
// "ls/JS 5.23.2".
const maxMinified = 3

// classVendor returns the vendor of an SDK by the name of its client class, which begins
// the User-Agent.
func classVendor(class []byte) string {
	switch {
	case bytes.Contains(class, []byte(anthropic)):
		return anthropic
	case bytes.Contains(class, []byte(openAI)):
		return openAI
	}
	return ""
}

// protocolVendor returns the vendor whose protocol the request speaks.
func protocolVendor(h Header) string {
	if firstValue(h, "Anthropic-Version") != "" {
		return anthropic
	}
	return openAI
}

// isBrowser reports whether an SDK could not set the User-Agent.
func isBrowser(product []byte) bool {
	return len(product) == 0 || string(product) == "mozilla"
}
