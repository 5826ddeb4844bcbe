package dispatch

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/upstreamerror"
)

// callForProtocol sends a request of another protocol than chat completions. A provider of
// the same protocol receives it unchanged, any other provider its translation.
func (a *attempt) callForProtocol(ctx context.Context) (*provider.Response, error) {
	if err := a.job.Stored.checkIssuer(a.candidate.Provider); err != nil {
		return nil, err
	}
	if native, ok := a.nativeCaller(); ok {
		a.isRelayed = true
		call := a.buildCall()
		call.Header, call.Query = a.job.Header, a.job.Query
		if call.Request.HasGatewayState {
			var err error
			if call.Request, err = a.job.Protocol.StripState(call.Request); err != nil {
				return nil, err
			}
		}
		if err := a.applyEffort(&call.Request); err != nil {
			return nil, err
		}
		if err := a.job.Stored.referTo(&call); err != nil {
			return nil, err
		}
		return native.CallNative(ctx, call)
	}
	if len(a.job.Request.NativeOnly) > 0 {
		return nil, otherProtocolError(a.job.Request)
	}
	t := a.job.translated
	if err := t.translate(a.job); err != nil {
		return nil, err
	}
	a.request, a.translation = t.request, t.translation
	resp, err := a.callForChat(ctx)
	if err == nil {
		resp.DroppedFields = joinDropped(a.job.FeatureHeaders, t.translation.Dropped, resp.DroppedFields)
	}
	return resp, err
}

func joinDropped(lists ...[]string) []string {
	var dropped provider.DroppedFields
	for _, list := range lists {
		dropped.AddAll(list)
	}
	return dropped
}

// nativeCaller returns the candidate's adapter if it speaks the client's protocol. Embeddings
// are always translated.
func (a *attempt) nativeCaller() (provider.NativeCaller, bool) {
	p, ok := a.job.Providers.ChatCompleter(a.candidate.Provider)
	if !ok || a.job.Request.Kind != catalog.Chat {
		return nil, false
	}
	native, ok := p.(provider.NativeCaller)
	return native, ok && a.speaksProtocol(native)
}

// speaksProtocol reports whether the candidate's endpoint speaks the client's protocol. The
// endpoint may use another API than the other endpoints of the provider.
func (a *attempt) speaksProtocol(native provider.NativeCaller) bool {
	speaks := native.Speaks(a.job.Request.Protocol)
	if a.job.Request.Protocol != requestbody.Responses {
		return speaks
	}
	return a.buildCall().Wire.UsesResponses(speaks)
}

// otherProtocolError is the error for a candidate that cannot carry parts of the request. The
// decision excludes such candidates, unless an older router made it.
func otherProtocolError(r *requestbody.Request) error {
	text := fmt.Sprintf("the request needs an upstream of the %s protocol, because of: %s", r.Protocol, strings.Join(r.NativeOnly, ", "))
	return apperr.New(apperr.UnsupportedParameter, text).With("param", r.NativeOnly[0]).With("protocol", r.Protocol).With("native_only", r.NativeOnly)
}

// translatedRequest is the chat form of a request. The first attempt that needs it translates
// the request, and later attempts reuse it.
type translatedRequest struct {
	done        bool
	request     *requestbody.Request
	translation *inbound.Translation
	err         error
}

func (t *translatedRequest) translate(job *Job) error {
	if t.done {
		return t.err
	}
	t.done = true
	if t.translation, t.err = job.Protocol.ToChat(job.Request); t.err != nil {
		return t.err
	}
	parse := requestbody.ParseChat
	if job.Request.Kind == catalog.Embeddings {
		parse = requestbody.ParseEmbeddings
	}
	if t.request, t.err = parse(t.translation.Body); t.err != nil {
		// The client's request is valid, so an upstream of its own protocol may serve it.
		t.err = apperr.New(apperr.UnsupportedParameter, "the request cannot be translated for this provider").WithCause(t.err)
	}
	return t.err
}

func (a *attempt) inboundOptions() inbound.Options {
	return inbound.Options{
		ID: a.job.ID, Created: a.job.StartedAt.Unix(), Model: a.candidate.Model, Store: a.job.Request.Store, WrapID: a.wrapID,
	}
}

// receiveNative passes on a response in the client's own protocol.
func (a *attempt) receiveNative(w *watchdog, resp *provider.Response) error {
	switch {
	case a.request.Stream && resp.Events != nil:
		return a.relayStream(w, a.newRelay(resp.TranslateEvent), resp.Events)
	case resp.Events != nil:
		return upstreamerror.InvalidResponse("a stream arrived, although the request did not ask for one")
	}
	response, err := a.job.Protocol.RelayBody(resp.Body, a.inboundOptions())
	if err == nil && a.request.Stream {
		err = upstreamerror.InvalidResponse("no stream arrived, although the request asked for one")
	}
	return a.acceptResponse(response, err)
}

// effortField is the chat form of the reasoning effort.
const effortField = "reasoning_effort"

// dropRejectedEffort returns a wire that drops the effort of a translated request if the
// upstream would reject it. Clients such as Claude Code send an effort with every request, and
// any model can serve the request without it.
func dropRejectedEffort(w *catalog.Wire, r *requestbody.Request) *catalog.Wire {
	if w == nil || !rejectsEffort(w, r) {
		return w
	}
	dropping := *w
	dropping.Reject = slices.DeleteFunc(slices.Clone(w.Reject), func(name string) bool { return name == effortField })
	dropping.Drop = append(slices.Clone(w.Drop), effortField)
	return &dropping
}

func rejectsEffort(w *catalog.Wire, r *requestbody.Request) bool {
	effort := r.FindMember(effortField)
	if effort == nil {
		return false
	}
	allowed, isLimited := w.AllowedValues[effortField]
	return slices.Contains(w.Reject, effortField) || isLimited && !slices.Contains(allowed, jsonscan.DecodeText(r.MemberValue(effort)))
}
