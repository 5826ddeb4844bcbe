package tokens

import (
	"maps"
	"sync"
	"sync/atomic"
)

// maxSources is the maximum number of sources. It is far above the number in any policy.
const maxSources = 1 << 10

// Source identifies token counts that can be compared: the counts of one model family at
// one provider. The provider matters, because a provider may add tokens to each request.
type Source struct{ Provider, Family string }

// Learner learns how much the token counts reported by each source differ from
// our estimates, separately for input and output. It is safe for concurrent
// use. Reads take no lock. A nil Learner learns nothing, and its ratios are 0.
type Learner struct {
	bySource atomic.Pointer[map[Source]*sourceRatios]
	// mu is held while a source is added. bySource is then replaced with a larger copy.
	mu   sync.Mutex
	jobs chan countJob
}

type sourceRatios struct{ input, output learnedRatio }

// NewLearner returns a Learner without any data. Start Run to process queued
// exact counts.
func NewLearner() *Learner {
	l := &Learner{jobs: make(chan countJob, maxQueuedTexts)}
	l.bySource.Store(&map[Source]*sourceRatios{})
	return l
}

// Ratios returns the input and output ratios of a source. For an unknown source they are
// 0, which means no correction.
func (l *Learner) Ratios(source Source) (input, output Ratio) {
	r := l.find(source)
	if r == nil {
		return 0, 0
	}
	return r.input.mean(), r.output.mean()
}

// LearnInput adds one sample: the estimated and the reported input tokens. Do not call it
// for requests with images, audio or files. Their tokens do not depend on text alone, so
// they would distort the ratio.
func (l *Learner) LearnInput(source Source, estimated, reported int64) {
	if r := l.findOrAdd(source); r != nil {
		r.input.addSample(estimated, reported)
	}
}

// LearnOutput adds one sample of output tokens. Do not call it if part of the output is
// hidden, such as reasoning. Hidden tokens are reported but not estimated, so they would
// distort the ratio.
func (l *Learner) LearnOutput(source Source, estimated, reported int64) {
	if r := l.findOrAdd(source); r != nil {
		r.output.addSample(estimated, reported)
	}
}

func (l *Learner) find(source Source) *sourceRatios {
	if l == nil {
		return nil
	}
	return (*l.bySource.Load())[source]
}

// findOrAdd returns the ratios of a source. It adds the source if needed. It returns nil
// if the learner is nil or full.
func (l *Learner) findOrAdd(source Source) *sourceRatios {
	if r := l.find(source); r != nil || l == nil {
		return r
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	known := *l.bySource.Load()
	if r := known[source]; r != nil || len(known) >= maxSources {
		return r
	}
	extended := maps.Clone(known)
	extended[source] = &sourceRatios{}
	l.bySource.Store(&extended)
	return extended[source]
}
