package responses

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound"
	"github.com/signalbox/signalbox/services/proxy/internal/namelist"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
	"github.com/signalbox/signalbox/services/proxy/internal/upstreamerror"
)

// replacedIDs is about how many bytes longer a body becomes when its ids are replaced.
const replacedIDs = 256

// RelayBody implements inbound.Protocol.
func (Protocol) RelayBody(body []byte, o inbound.Options) (normalize.Response, error) {
	var r jsonscan.Reader
	r.Reset(body, true)
	if !r.Enter(jsonscan.BeginObject) {
		return normalize.Response{}, upstreamerror.InvalidResponse("not a JSON object")
	}
	var values responseValues
	var failure, output, usage, serviceTier jsontext.Value
	for r.NextMember() {
		switch string(r.Name()) {
		case "error":
			failure = r.Value()
		case "output":
			output = r.Value()
		case "usage":
			usage = r.Value()
		case "service_tier":
			serviceTier = r.Value()
		default:
			values.readMember(&r)
		}
	}
	if err := r.CheckEnd(); err != nil {
		return normalize.Response{}, upstreamerror.InvalidResponse("not valid JSON").WithCause(err)
	}
	report := readNativeUsage(usage)
	var unpriced namelist.List
	addUnpriced(&unpriced, output, serviceTier)
	response := reportedValues(&report, unpriced)
	switch {
	case !jsonscan.IsEmptyOrFalse(failure):
		return response, upstreamerror.ParseInBand(errorBody(failure))
	case !isArray(output):
		return response, upstreamerror.InvalidResponse("no output")
	}
	response.OutputTextBytes = outputTextBytes(output)
	response.Body = values.appendReplaced(make([]byte, 0, len(body)+len(o.Model)+replacedIDs), body, &o)
	return response, nil
}

// errorBody wraps an error that is only a text.
func errorBody(failure jsontext.Value) []byte {
	if isObject(failure) {
		return failure
	}
	return append(append([]byte(`{"error":`), failure...), '}')
}

// outputTextBytes returns the approximate length of the model's output.
func outputTextBytes(output jsontext.Value) (n int) {
	for item := range jsonscan.Elements(output) {
		for name, v := range jsonscan.Members(item) {
			switch string(name) {
			case "arguments", "input":
				n += jsonscan.DecodedLen(v)
			case "content", "summary":
				for part := range jsonscan.Elements(v) {
					n += jsonscan.DecodedLen(jsonscan.Member(part, "text")) + jsonscan.DecodedLen(jsonscan.Member(part, "refusal"))
				}
			}
		}
	}
	return n
}
