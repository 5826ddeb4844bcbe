package quality

import (
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/topic"
)

// The topics, with their names in the catalog.
const (
	General      = "general"
	Code         = "code"
	Agentic      = "agentic"
	Maths        = "math"
	Reasoning    = "reasoning"
	Data         = "data"
	Language     = "language"
	Instructions = "instructions"
)

func topics() [8]string { return topic.All() }

// Topic returns the topic of a request from its features.
func Topic(f decide.NamedValues) string { return topic.Of(f) }
