package responses

import "github.com/signalbox/signalbox/pkg/jsonscan"

// waitingMessages are the messages between the calls of a turn and their last output. Clients
// send them, for example, if the user writes while a tool runs. In a chat the outputs must come
// directly after the calls, so these messages follow later.
type waitingMessages struct {
	// calls are the ids of the calls without an output.
	calls map[string]bool
	// messages holds messages of the chat, each with a trailing comma.
	messages []byte
}

// expect is called after the calls of a turn are written.
func (w *waitingMessages) expect(calls []turnCall) {
	for i := range calls {
		if w.calls == nil {
			w.calls = map[string]bool{}
		}
		w.calls[jsonscan.DecodeText(calls[i].id)] = true
	}
}

// endCall is called after the output of a call is written.
func (t *requestTranslator) endCall(item *inputItem) {
	delete(t.waiting.calls, jsonscan.DecodeText(item.callID))
	if len(t.waiting.calls) == 0 {
		t.flushWaiting()
	}
}

// flushWaiting writes the messages that wait, even if outputs are missing.
func (t *requestTranslator) flushWaiting() {
	t.messages = append(t.messages, t.waiting.messages...)
	t.waiting.messages = t.waiting.messages[:0]
	clear(t.waiting.calls)
}
