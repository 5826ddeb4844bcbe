package record

import (
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/topic"
)

// EmbeddingsTask is the kind of task of requests for embeddings.
const EmbeddingsTask = "embeddings"

// Task returns the kind of task of a request, such as code. The router predicts quality by
// the same kinds.
func (r *Record) Task() string {
	if r.Endpoint == "embeddings" {
		return EmbeddingsTask
	}
	return topic.Of(decide.NamedValuesFromMap(r.Features))
}

// HasResponse reports whether a model responded to a chat request, so that the response can
// be good or bad. A failure of a provider says nothing about the quality of responses.
func (r *Record) HasResponse() bool {
	return r.Endpoint == "chat" && r.Model != "" && (r.Outcome == OutcomeOK || r.Outcome == OutcomeClientClosed)
}
