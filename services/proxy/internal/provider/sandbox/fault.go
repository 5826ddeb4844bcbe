package sandbox

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/upstreamerror"
)

const (
	scriptField = "x_sandbox"
	maxMS       = int64(10 * time.Minute / time.Millisecond)
	maxChunks   = 10_000
)

// errConnectionBroken is the error of a connection that breaks during a response.
var errConnectionBroken = apperr.New(apperr.ProviderConnection, "the sandbox closed the connection, as requested in x_sandbox").With("phase", "stream")

// script is the value of the request field x_sandbox.
type script struct {
	fault
	// Models overrides the fault for single models. For example, one model fails, so that
	// its fallback serves the request.
	Models map[string]jsontext.Value `json:"models"`
}

// fault describes the failures, the delays and the fixed content of a response.
type fault struct {
	// Status makes the call fail with this HTTP status.
	Status int64 `json:"status"`
	// RetryAfterMS and ErrorCode are sent with Status.
	RetryAfterMS int64  `json:"retry_after_ms"`
	ErrorCode    string `json:"error_code"`
	// DelayMS is a delay before everything else.
	DelayMS int64 `json:"delay_ms"`
	// FirstTokenMS and ChunkMS replace the delays of the model.
	FirstTokenMS *int64 `json:"first_token_ms"`
	ChunkMS      *int64 `json:"chunk_ms"`
	// Chunks is the number of text chunks. A text that is too short is repeated.
	Chunks int64 `json:"chunks"`
	// BreakAfter closes the connection after this many chunks.
	BreakAfter *int64 `json:"break_after"`
	// Hang makes the call never respond. With BreakAfter, a stream stalls after that many
	// chunks instead.
	Hang bool `json:"hang"`
	// Text is the exact text of the response.
	Text *string `json:"text"`
	// Raw is the exact response of the simulated upstream, byte for byte.
	Raw *rawResponse `json:"raw"`
}

// parseFault returns the fault for the model that serves the request. It validates the
// whole script, so that a mistake in the part of another model is also reported.
func parseFault(text jsontext.Value, served string) (fault, error) {
	if len(text) == 0 {
		return fault{}, nil
	}
	s, err := parseScript(text)
	if err != nil {
		return fault{}, err
	}
	found := s.fault
	for name, overrides := range s.Models {
		f, err := parseModelFault(text, name, overrides)
		if err != nil {
			return fault{}, err
		}
		if name == served {
			found = f
		}
	}
	return found, found.validate(scriptField)
}

func parseScript(text jsontext.Value) (script, error) {
	var s script
	err := decodeField(text, &s, scriptField, json.RejectUnknownMembers(true))
	return s, err
}

// parseModelFault returns the fault for all models, with the overrides of one model
// applied. It parses the script again, because a fault contains pointers. Otherwise the
// overrides would also change the fault for the other models.
func parseModelFault(text jsontext.Value, name string, overrides jsontext.Value) (fault, error) {
	at := scriptField + ".models." + name
	if !slices.ContainsFunc(models, func(m model) bool { return m.name == name }) {
		return fault{}, invalidParam(at, "is not a sandbox model")
	}
	s, err := parseScript(text)
	if err != nil {
		return fault{}, err
	}
	if err := decodeField(overrides, &s.fault, at, json.RejectUnknownMembers(true)); err != nil {
		return fault{}, err
	}
	return s.fault, s.validate(at)
}

func (f fault) validate(at string) error {
	if f.Status != 0 && (f.Status < 400 || f.Status > 599) {
		return invalidParam(at+".status", "must be from 400 to 599")
	}
	for _, n := range []struct {
		name  string
		value int64
		most  int64
	}{
		{"retry_after_ms", f.RetryAfterMS, maxMS},
		{"delay_ms", f.DelayMS, maxMS},
		{"first_token_ms", valueOrZero(f.FirstTokenMS), maxMS},
		{"chunk_ms", valueOrZero(f.ChunkMS), maxMS},
		{"chunks", f.Chunks, maxChunks},
		{"break_after", valueOrZero(f.BreakAfter), maxChunks},
	} {
		if n.value < 0 || n.value > n.most {
			return invalidParam(at+"."+n.name, fmt.Sprintf("must be from 0 to %d", n.most))
		}
	}
	if f.Raw != nil {
		return f.Raw.validate(at + ".raw")
	}
	return nil
}

// applyUpfront applies the parts of a fault that come before a response. It waits, and then
// returns the requested error or hangs.
func (f fault) applyUpfront(ctx context.Context, stream bool) error {
	if err := sleep(ctx, milliseconds(f.DelayMS)); err != nil {
		return err
	}
	if f.Status != 0 {
		return f.upstreamError()
	}
	if f.Hang && (f.BreakAfter == nil || !stream) {
		<-ctx.Done()
		return provider.ContextError(ctx)
	}
	return nil
}

// upstreamError returns the error for Status. upstreamerror.Parse builds it, so that
// it has the same error code as the error of a real upstream.
func (f fault) upstreamError() error {
	status := int(f.Status)
	h := http.Header{}
	if f.RetryAfterMS > 0 {
		h.Set("Retry-After-Ms", strconv.FormatInt(f.RetryAfterMS, 10))
	}
	var body struct {
		Error struct {
			Message string `json:"message"`
			Code    string `json:"code,omitempty"`
		} `json:"error"`
	}
	body.Error.Message = fmt.Sprintf("the sandbox failed with status %d, as requested in x_sandbox", status)
	body.Error.Code = f.ErrorCode
	b, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("encode sandbox error: %w", err)
	}
	return upstreamerror.Parse(status, h, b)
}

func valueOrZero(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

func milliseconds(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
