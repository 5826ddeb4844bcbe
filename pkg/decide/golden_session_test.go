package decide_test

import (
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/decide"
)

// goldenSession is a session in YAML; candidates are written as model@provider.
type goldenSession struct {
	Last         string         `yaml:"last"`
	LastAt       time.Time      `yaml:"last_at"`
	Turns        int64          `yaml:"turns"`
	ToolLoop     bool           `yaml:"tool_loop"`
	SideCall     bool           `yaml:"side_call"`
	MarksCache   bool           `yaml:"marks_cache"`
	AddedTokens  int64          `yaml:"added_tokens"`
	OutputTokens int64          `yaml:"output_tokens"`
	Cached       []goldenCached `yaml:"cached"`
}

type goldenCached struct {
	At      string    `yaml:"at"`
	Tokens  int64     `yaml:"tokens"`
	Expires time.Time `yaml:"expires"`
}

func (g *goldenSession) session() *decide.Session {
	if g == nil {
		return nil
	}
	s := &decide.Session{
		Last: candidateAt(g.Last), Turns: g.Turns, ToolLoop: g.ToolLoop, SideCall: g.SideCall, MarksCache: g.MarksCache,
		AddedTokens: g.AddedTokens, OutputTokens: g.OutputTokens,
	}
	if !g.LastAt.IsZero() {
		s.LastAt = g.LastAt.Unix()
	}
	for _, c := range g.Cached {
		s.Cached = append(s.Cached, decide.CachedPrefix{Candidate: *candidateAt(c.At), Tokens: c.Tokens, Expires: c.Expires.Unix()})
	}
	return s
}

// candidateAt reads model@provider. It returns nil for an empty text.
func candidateAt(text string) *decide.Candidate {
	model, provider, ok := strings.Cut(text, "@")
	if !ok {
		return nil
	}
	return &decide.Candidate{Model: model, Provider: provider}
}
