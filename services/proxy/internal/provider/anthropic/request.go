package anthropic

import (
	"slices"
	"strconv"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/proxy/internal/openai"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

// defaultMaxTokens is for a model of which nothing is known: the format wants a
// number.
const defaultMaxTokens = 4096

// outbound is a request on its way into the Messages format.
type outbound struct {
	request  *openai.Request
	model    string
	wire     catalog.Wire
	most     int64
	in       fields
	maxToken int64

	// system are the blocks that stand before the conversation, each with its
	// comma, and tools the definitions.
	system, tools []byte
	turns         turns
	names         *names
	// used are the tools that the conversation has called, and undefined is
	// set if the request itself has none.
	used      [][]byte
	undefined bool
	// thinking and effort are what the request says about reasoning.
	thinking, effort []byte
	thinks           bool

	// scratch is for one block.
	scratch []byte

	pieces  [][]byte
	dropped []string
}

// translate makes the body for an upstream. An error is
// UNSUPPORTED_PARAMETER.
func translate(call provider.Call) (*outbound, error) {
	o := &outbound{request: call.Request, model: call.Upstream, most: call.MaxOutput, names: new(names)}
	if call.Wire != nil {
		o.wire = *call.Wire
	}
	for _, step := range []func() error{
		o.readFields, o.readMessages, o.readTools, o.reason, o.askForJSON, o.write,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// maxDropped bounds how many names are told.
const maxDropped = 32

// drop notes that a field does not reach the upstream.
func (o *outbound) drop(name string) {
	if !isName(name) {
		name = "other"
	}
	if len(o.dropped) < maxDropped && !slices.Contains(o.dropped, name) {
		o.dropped = append(o.dropped, name)
	}
}

func (o *outbound) dropEach(at string, names []string) {
	for _, name := range names {
		o.drop(at + name)
	}
}

// isName tells whether a field's name may stand in a header.
func isName(name string) bool {
	ok := name != "" && len(name) <= 64
	for _, r := range name {
		ok = ok && r > ' ' && r < 0x7f && r != ',' && r != '"'
	}
	return ok
}

// limit is how many tokens the answer may have: what the client allows, but no
// more than the model can, as the format refuses that.
func (o *outbound) limit() int64 {
	switch asked := o.request.MaxOutputTokens; {
	case asked == 0 && o.most == 0:
		return defaultMaxTokens
	case asked == 0 || o.most > 0 && o.most < asked:
		return o.most
	default:
		return asked
	}
}

// write puts the body together: what stands before the messages, the messages,
// and the rest. The order is always the same, so that caches of prefixes hit.
func (o *outbound) write() error {
	head := append([]byte(`{"model":`), quoted(o.model)...)
	head = append(head, `,"max_tokens":`...)
	head = append(strconv.AppendInt(head, o.maxToken, 10), ',')
	if len(o.system) > 0 {
		head = append(head, `"system":[`...)
		head = closed(append(head, o.system...), "],")
	}
	if len(o.tools) > 0 {
		head = append(head, `"tools":[`...)
		head = closed(append(head, o.tools...), "],")
		choice, err := o.toolChoice()
		if err != nil {
			return err
		}
		head = appendMember(head, "tool_choice", choice)
	}
	head = append(head, `"messages":[`...)
	tail := append(make([]byte, 0, 256), `],`...)
	tail, err := o.appendOptions(tail)
	if err != nil {
		return err
	}
	o.pieces = [][]byte{head, o.turns.done(), closed(tail, "}")}
	return nil
}

// appendOptions writes all that follows the messages.
func (o *outbound) appendOptions(dst []byte) ([]byte, error) {
	config, err := o.outputConfig()
	if err != nil {
		return nil, err
	}
	dst = appendMember(dst, "thinking", o.thinking)
	dst = appendMember(dst, "output_config", config)
	dst = o.appendSampling(dst)
	dst = appendMember(dst, "stop_sequences", o.stopSequences())
	dst = appendMember(dst, "metadata", o.metadata())
	dst = appendMember(dst, "service_tier", o.serviceTier())
	dst = appendMember(dst, "cache_control", o.in.cacheControl)
	if o.request.Stream {
		dst = append(dst, `"stream":true,`...)
	}
	return dst, nil
}
