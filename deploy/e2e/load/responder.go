package load

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/signalbox/signalbox/deploy/e2e/reconcile"
)

const (
	// Words in a prompt that select a response. endlessWord selects a stream without
	// an end that reports its usage with every chunk. silentWord selects the same
	// stream without usage. longWord selects a long stream, muteWord no response.
	endlessWord, silentWord = "hold-the-line", "hold-in-silence"
	longWord, muteWord      = "take-your-time", "say-nothing"
	// Text is the content of every chunk.
	Text = "All clear. "
	// refusals is how many of 1000 first calls of a request are rejected. wastes is how many
	// of 1000 first calls that stream report usage and then fail.
	refusals, wastes = 90, 120
	maxThinkTime     = 20 * time.Millisecond
	maxChunkPause    = 8 * time.Millisecond
	maxChunks        = 8
	longChunks       = 100
	longChunkPause   = 60 * time.Millisecond
)

// responder responds to one call.
type responder struct {
	w    http.ResponseWriter
	r    *http.Request
	call *reconcile.Call
	p    *Provider
	rng  *rand.Rand
	nth  int
	body string
	// events counts the events written.
	events int
}

func (a *responder) promptContains(word string) bool { return strings.Contains(a.body, word) }

// isEndless reports whether the stream runs until the caller disconnects.
func (a *responder) isEndless() bool {
	return a.promptContains(endlessWord) || a.promptContains(silentWord)
}

// respond sends the response. Only the first call of a request may fail, so that the
// gateway can serve every client by retrying.
func (a *responder) respond() {
	if a.promptContains(muteWord) {
		<-a.r.Context().Done()
		return
	}
	if !a.wait(time.Duration(a.rng.Int64N(int64(maxThinkTime)))) {
		return
	}
	stream, held := a.promptContains(`"stream":true`), a.isEndless()
	luck := a.rng.IntN(1000)
	used := a.randomUsage()
	switch first := a.nth == 1 && !held; {
	case first && luck < refusals:
		a.writeError([]int{429, 500, 503}[a.rng.IntN(3)])
	case first && stream && luck < refusals+wastes:
		a.setContentType("text/event-stream")
		a.writeEvent(`"choices":[{"index":0,"delta":{"role":"assistant","content":""}}],` + a.reportUsage(used))
		a.writeEvent(`"error":{"message":"the model fell over","code":500}`)
		a.markFinished()
	case strings.Contains(a.r.URL.Path, "/embeddings"):
		used = reconcile.Usage{Input: used.Input}
		a.setContentType("application/json")
		a.write(fmt.Sprintf(`{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.5,0.25]}],%s}`, a.reportUsage(used)))
		a.markFinished()
	case stream:
		a.streamChunks(used)
	default:
		a.setContentType("application/json")
		a.write(fmt.Sprintf(`{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":%q},"finish_reason":"stop"}],%s}`,
			strings.Repeat(Text, 40), a.reportUsage(used)))
		a.markFinished()
	}
}

// streamChunks sends a stream. An endless stream runs until the caller disconnects.
func (a *responder) streamChunks(used reconcile.Usage) {
	a.setContentType("text/event-stream")
	last, pause := 3+a.rng.IntN(maxChunks-2), time.Duration(a.rng.Int64N(int64(maxChunkPause)))
	if a.promptContains(longWord) {
		last, pause = longChunks, longChunkPause
	}
	for n := 1; a.isEndless() || n <= last; n++ {
		if !a.wait(pause) {
			return
		}
		text := fmt.Sprintf(`"choices":[{"index":0,"delta":{"content":%q}}]`, Text)
		if a.promptContains(endlessWord) {
			used.Output, used.Reasoning = int64(n), 0
			text += "," + a.reportUsage(used)
		}
		if !a.writeEvent(text) {
			return
		}
	}
	a.writeEvent(`"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]`)
	a.writeEvent(`"choices":[],` + a.reportUsage(used))
	a.write("data: [DONE]\n\n")
	a.markFinished()
}

// randomUsage returns a usage in which most buckets are not zero.
func (a *responder) randomUsage() reconcile.Usage {
	u := reconcile.Usage{Input: 1 + a.rng.Int64N(100_000), CacheRead: a.rng.Int64N(50_000), CacheWrite: a.rng.Int64N(20_000), Output: 1 + a.rng.Int64N(8000)}
	u.Reasoning = a.rng.Int64N(u.Output)
	return u
}

// reportUsage adds a usage to the call's entry and returns its JSON.
func (a *responder) reportUsage(u reconcile.Usage) string {
	a.p.withLock(func() {
		a.call.Reported, a.call.Events = append(a.call.Reported, u), append(a.call.Events, a.events+1)
	})
	prompt := u.Input + u.CacheRead + u.CacheWrite
	return fmt.Sprintf(`"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,`+
		`"prompt_tokens_details":{"cached_tokens":%d,"cache_write_tokens":%d},"completion_tokens_details":{"reasoning_tokens":%d}}`,
		prompt, u.Output, prompt+u.Output, u.CacheRead, u.CacheWrite, u.Reasoning)
}

func (a *responder) writeError(status int) {
	a.p.withLock(func() { a.call.Status = status })
	a.w.Header().Set("Content-Type", "application/json")
	a.w.WriteHeader(status)
	a.write(`{"error":{"message":"not now"}}`)
	a.markFinished()
}

func (a *responder) setContentType(kind string) { a.w.Header().Set("Content-Type", kind) }

func (a *responder) writeEvent(members string) bool {
	a.events++
	return a.write("data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\"," + members + "}\n\n")
}

func (a *responder) write(text string) bool {
	_, err := io.WriteString(a.w, text)
	return err == nil && http.NewResponseController(a.w).Flush() == nil
}

// markFinished notes that the response is complete, unless the caller is gone.
func (a *responder) markFinished() {
	if a.r.Context().Err() == nil {
		a.p.withLock(func() { a.call.Finished = true })
	}
}

// wait waits for d and reports whether the caller is still connected.
func (a *responder) wait(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-a.r.Context().Done():
		return false
	}
}
