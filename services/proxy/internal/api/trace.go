package api

import (
	"strconv"

	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/tracecontext"
)

// readOptions reads the options of the request that spans contain, if spans are recorded.
func readOptions(trace *tracecontext.Context, req *requestbody.Request) {
	if trace == nil || !trace.IsRecorded {
		return
	}
	trace.Options = tracecontext.Options{
		Temperature: numberMember(req, "temperature"), TopP: numberMember(req, "top_p"), Choices: req.Choices,
	}
	if seed := req.FindMember("seed"); seed != nil {
		if n, err := strconv.ParseInt(string(req.MemberValue(seed)), 10, 64); err == nil {
			trace.Options.Seed = &n
		}
	}
}

// numberMember returns a number of the request's top level, or nil if it has none of this name.
func numberMember(req *requestbody.Request, name string) *float64 {
	m := req.FindMember(name)
	if m == nil {
		return nil
	}
	v, err := strconv.ParseFloat(string(req.MemberValue(m)), 64)
	if err != nil {
		return nil
	}
	return &v
}
