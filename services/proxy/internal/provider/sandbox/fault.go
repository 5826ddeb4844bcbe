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
	"github.com/signalbox/signalbox/services/proxy/internal/openai"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

const (
	field     = "x_sandbox"
	maxMS     = int64(10 * time.Minute / time.Millisecond)
	maxChunks = 10_000
)

// errBroken is what a caller sees of a connection that died under an answer.
var errBroken = apperr.New(apperr.ProviderConnection, "the sandbox broke off its answer, as asked").With("phase", "stream")

// script is the field x_sandbox.
type script struct {
	fault
	// Models is for one model alone, over what is said for all: so a fallback
	// can be seen.
	Models map[string]jsontext.Value `json:"models"`
}

// fault is what to do instead of, or beside, answering well.
type fault struct {
	// Status fails the call with this HTTP status.
	Status int64 `json:"status"`
	// RetryAfterMS and ErrorCode go with a failing Status.
	RetryAfterMS int64  `json:"retry_after_ms"`
	ErrorCode    string `json:"error_code"`
	// DelayMS passes before anything else happens.
	DelayMS int64 `json:"delay_ms"`
	// FirstTokenMS and ChunkMS replace the model's own pace.
	FirstTokenMS *int64 `json:"first_token_ms"`
	ChunkMS      *int64 `json:"chunk_ms"`
	// Chunks is the number of pieces of the answer's text, repeated to fill
	// them if it is too short.
	Chunks int64 `json:"chunks"`
	// BreakAfter ends the connection after so many pieces.
	BreakAfter *int64 `json:"break_after"`
	// Hang never answers; with BreakAfter a stream falls silent there instead.
	Hang bool `json:"hang"`
	// Text is the answer, word for word.
	Text *string `json:"text"`
	// Raw is the answer, byte for byte, in the vendors' own format.
	Raw *raw `json:"raw"`
}

// faultOf is what the script says for the model that serves. All of the script
// is checked, so that a slip in another model's part does not wait for its
// turn.
func faultOf(text jsontext.Value, served string) (fault, error) {
	if len(text) == 0 {
		return fault{}, nil
	}
	s, err := readScript(text)
	if err != nil {
		return fault{}, err
	}
	found := s.fault
	for name, own := range s.Models {
		f, err := ownFault(text, name, own)
		if err != nil {
			return fault{}, err
		}
		if name == served {
			found = f
		}
	}
	return found, found.check(field)
}

func readScript(text jsontext.Value) (script, error) {
	var s script
	err := decode(text, &s, field, json.RejectUnknownMembers(true))
	return s, err
}

// ownFault is what the script says for all, with what it says for one model
// over it. The script is read anew because decoding changes what pointers
// point to.
func ownFault(text jsontext.Value, name string, own jsontext.Value) (fault, error) {
	at := field + ".models." + name
	if !slices.ContainsFunc(family, func(m model) bool { return m.name == name }) {
		return fault{}, invalid(at, "is no model of the sandbox")
	}
	s, err := readScript(text)
	if err != nil {
		return fault{}, err
	}
	if err := decode(own, &s.fault, at, json.RejectUnknownMembers(true)); err != nil {
		return fault{}, err
	}
	return s.fault, s.check(at)
}

func (f fault) check(at string) error {
	if f.Status != 0 && (f.Status < 400 || f.Status > 599) {
		return invalid(at+".status", "must be from 400 to 599")
	}
	for _, n := range []struct {
		name  string
		value int64
		most  int64
	}{
		{"retry_after_ms", f.RetryAfterMS, maxMS},
		{"delay_ms", f.DelayMS, maxMS},
		{"first_token_ms", value(f.FirstTokenMS), maxMS},
		{"chunk_ms", value(f.ChunkMS), maxMS},
		{"chunks", f.Chunks, maxChunks},
		{"break_after", value(f.BreakAfter), maxChunks},
	} {
		if n.value < 0 || n.value > n.most {
			return invalid(at+"."+n.name, fmt.Sprintf("must be from 0 to %d", n.most))
		}
	}
	if f.Raw != nil {
		return f.Raw.check(at + ".raw")
	}
	return nil
}

// begin is what happens before an answer: the delay, the failure, the silence.
func (f fault) begin(ctx context.Context, stream bool) error {
	if err := wait(ctx, ms(f.DelayMS)); err != nil {
		return err
	}
	if f.Status != 0 {
		return f.failure()
	}
	if f.Hang && (f.BreakAfter == nil || !stream) {
		<-ctx.Done()
		return provider.Ended(ctx)
	}
	return nil
}

// failure goes the way of a real upstream's, so that both are classed alike.
func (f fault) failure() error {
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
	body.Error.Message = fmt.Sprintf("the sandbox failed with %d, as asked", status)
	body.Error.Code = f.ErrorCode
	b, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("encode the sandbox's error: %w", err)
	}
	return openai.UpstreamError(status, h, b)
}

func value(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

func ms(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
