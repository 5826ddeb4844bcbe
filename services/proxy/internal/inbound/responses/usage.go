package responses

import (
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/namelist"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
	"github.com/signalbox/signalbox/services/proxy/internal/usagereport"
)

// appendUsage appends the usage of a chat completion in the format of this protocol. It
// appends null if the chat completion has none.
func appendUsage(dst []byte, chatUsage jsontext.Value) []byte {
	report := readChatUsage(chatUsage)
	u := report.Buckets()
	if u == nil {
		return append(dst, "null"...)
	}
	input := u.Input + u.CacheRead + u.CacheWrite
	dst = strconv.AppendInt(append(dst, `{"input_tokens":`...), input, 10)
	dst = strconv.AppendInt(append(dst, `,"input_tokens_details":{"cached_tokens":`...), u.CacheRead, 10)
	dst = appendNumberMember(dst, "cache_write_tokens", u.CacheWrite)
	dst = appendNumberMember(append(dst, '}'), "output_tokens", u.Output)
	dst = strconv.AppendInt(append(dst, `,"output_tokens_details":{"reasoning_tokens":`...), u.Reasoning, 10)
	dst = appendNumberMember(append(dst, '}'), "total_tokens", input+u.Output)
	return append(dst, '}')
}

func readChatUsage(v jsontext.Value) (report usagereport.Report) {
	if !isObject(v) {
		return report
	}
	var r jsonscan.Reader
	r.ResetLimited(v, true)
	report.ReadFrom(&r)
	return report
}

// readNativeUsage reads the usage of a response in this protocol.
func readNativeUsage(v jsontext.Value) usagereport.Report {
	return readChatUsage(usagereport.ResponsesToChat(v))
}

// reportedValues returns a Response with only the values that the upstream reported. unpriced
// names what it charges in addition to the usage.
func reportedValues(u *usagereport.Report, unpriced namelist.List) normalize.Response {
	all := slices.Clone(unpriced)
	all.AddAll(u.Unpriced())
	return normalize.Response{
		Usage: u.Buckets(), OutputUnknown: u.IsInputOnly(),
		UsageDiscrepancy: u.Discrepancy(), ReportedNanoUSD: u.CostNanoUSD(), Unpriced: all,
	}
}
