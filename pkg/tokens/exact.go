package tokens

import (
	"context"
	"strings"

	"github.com/signalbox/signalbox/pkg/tokens/bpe"
)

const (
	// maxQueuedTexts is how many texts can wait for an exact count.
	maxQueuedTexts = 16
	// MaxExactBytes limits how many bytes of a text are counted exactly. This is enough to
	// learn from, and counting takes about a millisecond.
	MaxExactBytes = 4 << 10
)

// countJob is a text that waits for an exact count.
type countJob struct {
	source   Source
	encoding string
	text     string
}

// QueueExactCount queues a text for an exact count. Callers use it for a source that
// reported no usage. tokenizer is empty if the catalog names none. QueueExactCount does
// nothing if the tokenizer is not available, or if the source already has enough samples.
// It calls text only if the queue has a free slot.
//
// It never blocks. If the queue is full, the text is dropped. The count does not change
// the record of this request. It only improves later estimates.
func (l *Learner) QueueExactCount(source Source, tokenizer string, text func() string) {
	encoding := encodingFor(tokenizer, source.Family)
	if l == nil || encoding == "" || len(l.jobs) == cap(l.jobs) {
		return
	}
	if r := l.findOrAdd(source); r == nil || r.input.isSettled() {
		return
	}
	select {
	case l.jobs <- countJob{source, encoding, text()}:
	default:
	}
}

// Run counts queued texts until ctx is done. It loads the tables of a tokenizer, which
// take several megabytes, on first use.
func (l *Learner) Run(ctx context.Context) {
	loaded := map[string]*bpe.Encoding{}
	for {
		select {
		case <-ctx.Done():
			return
		case job := <-l.jobs:
			if loaded[job.encoding] == nil {
				// If loading fails, texts of this encoding are not counted.
				loaded[job.encoding], _ = bpe.New(job.encoding)
			}
			l.learnExactCount(loaded[job.encoding], job)
		}
	}
}

func (l *Learner) learnExactCount(e *bpe.Encoding, job countJob) {
	text := []byte(job.text[:min(len(job.text), MaxExactBytes)])
	if e != nil {
		l.LearnInput(job.source, EstimateText(text).Tokens(), int64(e.Count(text)))
	}
}

const (
	o200k  = "o200k"
	cl100k = "cl100k"
)

// encodingByFamily applies to models whose tokenizer the catalog does not name. More
// specific prefixes come first.
var encodingByFamily = []struct{ prefix, encoding string }{
	{"gpt-3.5", cl100k}, {"gpt-4o", o200k}, {"gpt-4.", o200k}, {"gpt-4", cl100k}, {"gpt-", o200k}, {"chatgpt-", o200k},
	{"o1", o200k}, {"o3", o200k}, {"o4", o200k}, {"text-embedding-", cl100k},
}

// encodingFor returns the encoding of a tokenizer. If tokenizer is empty, it returns the
// encoding of the model family. It returns "" if the encoding is not available. Variants
// such as o200k_harmony use the base encoding, because only special tokens differ.
func encodingFor(tokenizer, family string) string {
	if tokenizer != "" {
		base, _, _ := strings.Cut(tokenizer, "_")
		if !bpe.Supports(base) {
			return ""
		}
		return base
	}
	for _, f := range encodingByFamily {
		if strings.HasPrefix(family, f.prefix) {
			return f.encoding
		}
	}
	return ""
}
