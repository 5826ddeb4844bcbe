// Package responses serves clients of OpenAI's Responses protocol.
//
// ToChat translates a request into a chat completion. A Responder translates the response
// back: FromChat writes a complete response, and a Stream writes the events of the protocol.
// A Relay forwards the events of an upstream that speaks the protocol itself.
//
// Reasoning of other vendors is handed out as the encrypted content of reasoning items. The
// clients of this protocol send such items back unchanged, so that the reasoning survives to
// the next turn: see state.go.
package responses

import (
	"github.com/signalbox/signalbox/services/proxy/internal/inbound"
)

// Protocol implements inbound.Protocol.
type Protocol struct{}

var _ inbound.Protocol = Protocol{}

// KeepAlive returns a comment without an empty line after it. Some versions of OpenAI's Go
// library take an empty line for the end of an event and fail if the event has no data.
func (Protocol) KeepAlive() []byte { return []byte(": keepalive\n") }
