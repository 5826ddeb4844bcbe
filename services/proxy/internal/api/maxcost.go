package api

import (
	"net/http"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
)

// parseMaxCost returns the most that the request may cost, in nano-USD. It is unknown if the
// client sets no limit. If the header is sent several times, the lowest limit applies.
func parseMaxCost(h http.Header) (lowest decide.OptionalInt, err error) {
	for _, text := range h[decide.MaxCostHeader] {
		nano, ok := catalog.ParseUSD(text)
		if !ok {
			return lowest, apperr.New(apperr.InvalidRequest, decide.MaxCostHeader+" must be an amount in US dollars such as 0.05, with at most 9 decimal places").
				With("param", decide.MaxCostHeader)
		}
		if !lowest.Known || nano < lowest.Value {
			lowest = decide.KnownInt(nano)
		}
	}
	return lowest, nil
}
