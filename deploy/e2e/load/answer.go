package load

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/signalbox/signalbox/deploy/e2e/book"
)

const (
	// Words of a prompt: heldWord asks for a stream that reports its usage with
	// every chunk and never ends of itself, silentWord for one that does not
	// report, longWord for a long one, muteWord for no answer at all.
	heldWord, silentWord = "hold-the-line", "hold-in-silence"
	longWord, muteWord   = "take-your-time", "say-nothing"
	// Text is what every chunk of a stream says.
	Text = "All clear. "
	// Of a thousand first calls, so many are refused, and so many streams
	// report what they used and fail all the same.
	refusals, wastes = 90, 120
	longestThought   = 20 * time.Millisecond
	longestPause     = 8 * time.Millisecond
	mostChunks       = 8
	longChunks       = 100
	longChunkPause   = 60 * time.Millisecond
)

// answer is what the provider does with one call.
type answer struct {
	w    http.ResponseWriter
	r    *http.Request
	call *book.Call
	p    *Provider
	rng  *rand.Rand
	nth  int
	body string
	// events is how many were written.
	events int
}

func (a *answer) asks(word string) bool { return strings.Contains(a.body, word) }

// held is whether the stream goes on until the caller leaves.
func (a *answer) held() bool { return a.asks(heldWord) || a.asks(silentWord) }

// play answers. Whoever calls a second time is served, so that no client has to
// fail.
func (a *answer) play() {
	if a.asks(muteWord) {
		<-a.r.Context().Done()
		return
	}
	if !a.pause(time.Duration(a.rng.Int64N(int64(longestThought)))) {
		return
	}
	stream, held := a.asks(`"stream":true`), a.held()
	luck := a.rng.IntN(1000)
	used := a.usage()
	switch first := a.nth == 1 && !held; {
	case first && luck < refusals:
		a.refuse([]int{429, 500, 503}[a.rng.IntN(3)])
	case first && stream && luck < refusals+wastes:
		a.begin("text/event-stream")
		a.event(`"choices":[{"index":0,"delta":{"role":"assistant","content":""}}],` + a.report(used))
		a.event(`"error":{"message":"the model fell over","code":500}`)
		a.finish()
	case strings.Contains(a.r.URL.Path, "/embeddings"):
		used = book.Usage{Input: used.Input}
		a.begin("application/json")
		a.write(fmt.Sprintf(`{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.5,0.25]}],%s}`, a.report(used)))
		a.finish()
	case stream:
		a.chunks(used)
	default:
		a.begin("application/json")
		a.write(fmt.Sprintf(`{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":%q},"finish_reason":"stop"}],%s}`,
			strings.Repeat(Text, 40), a.report(used)))
		a.finish()
	}
}

// chunks is a stream. A held one goes on until the caller leaves.
func (a *answer) chunks(used book.Usage) {
	a.begin("text/event-stream")
	last, pause := 3+a.rng.IntN(mostChunks-2), time.Duration(a.rng.Int64N(int64(longestPause)))
	if a.asks(longWord) {
		last, pause = longChunks, longChunkPause
	}
	for n := 1; a.held() || n <= last; n++ {
		if !a.pause(pause) {
			return
		}
		text := fmt.Sprintf(`"choices":[{"index":0,"delta":{"content":%q}}]`, Text)
		if a.asks(heldWord) {
			used.Output, used.Reasoning = int64(n), 0
			text += "," + a.report(used)
		}
		if !a.event(text) {
			return
		}
	}
	a.event(`"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]`)
	a.event(`"choices":[],` + a.report(used))
	a.write("data: [DONE]\n\n")
	a.finish()
}

// usage is random and has something in every bucket, mostly.
func (a *answer) usage() book.Usage {
	u := book.Usage{Input: 1 + a.rng.Int64N(100_000), CacheRead: a.rng.Int64N(50_000), CacheWrite: a.rng.Int64N(20_000), Output: 1 + a.rng.Int64N(8000)}
	u.Reasoning = a.rng.Int64N(u.Output)
	return u
}

// report writes a usage down and returns it as it is told.
func (a *answer) report(u book.Usage) string {
	a.p.change(func() {
		a.call.Reported, a.call.Events = append(a.call.Reported, u), append(a.call.Events, a.events+1)
	})
	prompt := u.Input + u.CacheRead + u.CacheWrite
	return fmt.Sprintf(`"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,`+
		`"prompt_tokens_details":{"cached_tokens":%d,"cache_write_tokens":%d},"completion_tokens_details":{"reasoning_tokens":%d}}`,
		prompt, u.Output, prompt+u.Output, u.CacheRead, u.CacheWrite, u.Reasoning)
}

func (a *answer) refuse(status int) {
	a.p.change(func() { a.call.Status = status })
	a.w.Header().Set("Content-Type", "application/json")
	a.w.WriteHeader(status)
	a.write(`{"error":{"message":"not now"}}`)
	a.finish()
}

func (a *answer) begin(kind string) { a.w.Header().Set("Content-Type", kind) }

func (a *answer) event(members string) bool {
	a.events++
	return a.write("data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\"," + members + "}\n\n")
}

func (a *answer) write(text string) bool {
	_, err := io.WriteString(a.w, text)
	return err == nil && http.NewResponseController(a.w).Flush() == nil
}

// finish notes that all was written, unless the caller had gone by then.
func (a *answer) finish() {
	if a.r.Context().Err() == nil {
		a.p.change(func() { a.call.Finished = true })
	}
}

// pause reports whether the caller stayed.
func (a *answer) pause(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-a.r.Context().Done():
		return false
	}
}
