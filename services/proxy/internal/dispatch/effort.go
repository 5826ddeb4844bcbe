package dispatch

import (
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/requestbody"
)

// applyEffort writes the reasoning effort of the candidate into a request, in the dialect of its
// protocol. The adapter then translates it like an effort of the client. A candidate of a client
// that sets its own effort has none.
func (a *attempt) applyEffort(r **requestbody.Request) (err error) {
	if a.candidate.Effort == "" || (*r).Kind != catalog.Chat || (*r).SetsEffort() {
		return nil
	}
	*r, err = requestbody.WithEffort(*r, a.candidate.Effort)
	return err
}
