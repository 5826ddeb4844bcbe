package load

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/signalbox/signalbox/deploy/e2e/book"
)

// Of a thousand requests, so many are of each kind; the rest are plain chats.
const (
	streams, vectors, unknown, leavers = 180, 30, 20, 20
)

// promptBytes is what a prompt is usually filled up to.
const promptBytes = 1200

// errand draws a request.
func errand(rng *rand.Rand, mark string, bytes int) Errand {
	e := Errand{Path: "/chat/completions", Line: book.Request{Mark: mark, Want: 200}}
	e.Line.Model = []string{auto, auto, small, large}[rng.IntN(4)]
	luck := rng.IntN(1000)
	take := func(share int) bool {
		luck -= share
		return luck < 0
	}
	switch {
	case take(streams):
		e.Line.Stream = true
	case take(vectors):
		e.Path, e.Line.Model = "/embeddings", []string{autoEmbed, embed}[rng.IntN(2)]
		e.Body = fmt.Sprintf(`{"model":%q,"input":%q}`, e.Line.Model, prompt(mark, bytes))
		return e
	case take(unknown):
		e.Line.Model, e.Line.Want = "no-such-model", 404
	case take(leavers):
		return Held(mark, 1+rng.IntN(20), rng.IntN(2) == 0)
	}
	e.Body = chat(e.Line.Model, e.Line.Stream, prompt(mark, bytes))
	return e
}

// Held is a stream without an end, of which the client reads so many events
// and goes. The provider reports what it used with every event, or never.
func Held(mark string, leave int, reports bool) Errand {
	word := heldWord
	if !reports {
		word = silentWord
	}
	return Errand{
		Path: "/chat/completions", Leave: leave, Body: chat(small, true, prompt(mark, promptBytes)+word),
		Line: book.Request{Mark: mark, Want: 200, Model: small, Stream: true},
	}
}

// Long is a stream of some six seconds.
func Long(mark string) Errand {
	return Errand{
		Path: "/chat/completions", Body: chat(auto, true, prompt(mark, promptBytes)+longWord),
		Line: book.Request{Mark: mark, Want: 200, Model: auto, Stream: true},
	}
}

// Unanswered is a request that the provider keeps to itself; its client is to
// go when Provider.Sees has told of it.
func Unanswered(mark string, stream bool) Errand {
	return Errand{
		Path: "/chat/completions", Body: chat(small, stream, prompt(mark, promptBytes)+muteWord),
		Line: book.Request{Mark: mark, Want: 200, Model: small, Stream: stream, Left: true},
	}
}

func chat(model string, stream bool, text string) string {
	return fmt.Sprintf(`{"model":%q,"stream":%t,"messages":[{"role":"user","content":%q}]}`, model, stream, text)
}

func prompt(mark string, bytes int) string {
	const text = "The signaller clears the line and writes the train into the book. "
	return mark + " " + strings.Repeat(text, bytes/len(text))
}

// Mark names a request of a run.
func Mark(run uint64, n int) string { return fmt.Sprintf("mark-%x-%d", run, n) }
