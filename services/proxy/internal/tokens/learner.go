package tokens

import (
	"maps"
	"sync"
	"sync/atomic"
)

// maxSources is more pairs than a policy has; beyond it nothing new is learned.
const maxSources = 1 << 10

// Source is whose counts are alike: one family's tokenizer, and what one
// provider adds to a request.
type Source struct{ Provider, Family string }

// Learner knows by how much reported counts differ from our estimates, for each
// source, of the input and of the output. It is safe for concurrent use, reads
// take no lock, and a nil Learner knows nothing.
type Learner struct {
	known atomic.Pointer[map[Source]*ratios]
	// adding is held while known is replaced.
	adding sync.Mutex
	wanted chan piece
}

type ratios struct{ input, output ratio }

// NewLearner makes one that knows nothing yet. Run counts for it.
func NewLearner() *Learner {
	l := &Learner{wanted: make(chan piece, maxWanted)}
	l.known.Store(&map[Source]*ratios{})
	return l
}

// Ratios are those of a source's inputs and outputs.
func (l *Learner) Ratios(of Source) (input, output Ratio) {
	r := l.find(of)
	if r == nil {
		return 0, 0
	}
	return r.input.mean(), r.output.mean()
}

// LearnInput takes what was reported for an estimated input. Requests with
// pictures, sounds or documents are not for it: what they cost is no matter of
// text.
func (l *Learner) LearnInput(of Source, estimated, reported int64) {
	if r := l.make(of); r != nil {
		r.input.learn(estimated, reported)
	}
}

// LearnOutput is the same for an output, which must be all there was: hidden
// reasoning would look like a wrong estimate.
func (l *Learner) LearnOutput(of Source, estimated, reported int64) {
	if r := l.make(of); r != nil {
		r.output.learn(estimated, reported)
	}
}

func (l *Learner) find(of Source) *ratios {
	if l == nil {
		return nil
	}
	return (*l.known.Load())[of]
}

// make returns nil where there is no room.
func (l *Learner) make(of Source) *ratios {
	if r := l.find(of); r != nil || l == nil {
		return r
	}
	l.adding.Lock()
	defer l.adding.Unlock()
	known := *l.known.Load()
	if r := known[of]; r != nil || len(known) >= maxSources {
		return r
	}
	more := maps.Clone(known)
	more[of] = &ratios{}
	l.known.Store(&more)
	return more[of]
}
