package load

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/signalbox/signalbox/deploy/e2e/reconcile"
)

// The number of requests of each kind per thousand; the rest are plain chats.
const (
	streams, embeddings, unknownModels, leavers = 180, 30, 20, 20
)

// promptBytes is the usual length of a prompt.
const promptBytes = 1200

// randomRequest returns a random request.
func randomRequest(rng *rand.Rand, mark string, bytes int) RequestSpec {
	e := RequestSpec{Path: "/chat/completions", Entry: reconcile.Request{Mark: mark, Want: 200}}
	e.Entry.Model = []string{auto, auto, small, large}[rng.IntN(4)]
	luck := rng.IntN(1000)
	take := func(share int) bool {
		luck -= share
		return luck < 0
	}
	switch {
	case take(streams):
		e.Entry.Stream = true
	case take(embeddings):
		e.Path, e.Entry.Model = "/embeddings", []string{autoEmbed, embed}[rng.IntN(2)]
		e.Body = fmt.Sprintf(`{"model":%q,"input":%q}`, e.Entry.Model, promptText(mark, bytes))
		return e
	case take(unknownModels):
		e.Entry.Model, e.Entry.Want = "no-such-model", 404
	case take(leavers):
		return EndlessStream(mark, 1+rng.IntN(20), rng.IntN(2) == 0)
	}
	e.Body = chatBody(e.Entry.Model, e.Entry.Stream, promptText(mark, bytes))
	return e
}

// EndlessStream requests a stream without an end and disconnects after the given number
// of events. If reports is set, the provider reports usage with every event. Otherwise
// it never reports usage.
func EndlessStream(mark string, events int, reports bool) RequestSpec {
	word := endlessWord
	if !reports {
		word = silentWord
	}
	e := chatRequest(mark, small, true, word)
	e.LeaveAfter = events
	return e
}

// LongStream requests a stream of about six seconds.
func LongStream(mark string) RequestSpec {
	return chatRequest(mark, auto, true, longWord)
}

// Unanswered is a request that the provider never responds to. Its client should
// disconnect once Provider.HasReceived returns true.
func Unanswered(mark string, stream bool) RequestSpec {
	e := chatRequest(mark, small, stream, muteWord)
	e.Entry.Left = true
	return e
}

func chatRequest(mark, model string, stream bool, word string) RequestSpec {
	return RequestSpec{
		Path: "/chat/completions", Body: chatBody(model, stream, promptText(mark, promptBytes)+word),
		Entry: reconcile.Request{Mark: mark, Want: 200, Model: model, Stream: stream},
	}
}

func chatBody(model string, stream bool, text string) string {
	return fmt.Sprintf(`{"model":%q,"stream":%t,"messages":[{"role":"user","content":%q}]}`, model, stream, text)
}

func promptText(mark string, bytes int) string {
	const text = "The signaller clears the line and writes the train into the book. "
	return mark + " " + strings.Repeat(text, bytes/len(text))
}

// Mark returns the mark of the nth request of a run.
func Mark(run uint64, n int) string { return fmt.Sprintf("mark-%x-%d", run, n) }
