package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"sync/atomic"
	"testing"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/api"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
)

// The test endpoints are below the paths of their vendors, so that they get the vendors' errors.
const (
	messagesPath  = "/proxy/v1/messages/test"
	countPath     = "/proxy/v1/messages/test/count"
	responsesPath = "/proxy/v1/responses/test"
	geminiPath    = "/proxy/v1beta/models/"
)

func TestMain(m *testing.M) {
	api.AddRoute(messagesPath, smallMessages{}, parseAs(requestbody.Messages))
	api.AddCount(countPath, parseAs(requestbody.Messages), func(n int64) []byte { return fmt.Appendf(nil, `{"input_tokens":%d}`, n) })
	api.AddRoute(responsesPath, eventRelay{end: "response.completed"}, parseAs(requestbody.Responses))
	for method, stream := range map[string]bool{"testContent": false, "streamTestContent": true} {
		api.AddModelMethod(method, eventRelay{end: `"finishReason"`}, stream, parseGemini)
	}
	api.AddModelMethod("testEmbed", smallEmbed{}, false, parseEmbed)
	os.Exit(m.Run())
}

// parseAs parses the part of the Messages format that is also valid as a chat. The member
// signature makes a request native.
func parseAs(p requestbody.Protocol) api.Parser {
	return func(body []byte) (*requestbody.Request, error) {
		r, err := requestbody.ParseChat(body)
		if err != nil {
			return nil, err
		}
		r.Protocol = p
		if r.FindMember("signature") != nil {
			r.NativeOnly = []string{"signature"}
		}
		return r, nil
	}
}

func parseGemini(body []byte, model string, stream bool) (*requestbody.Request, error) {
	if !json.Valid(body) {
		return nil, apperr.New(apperr.InvalidJSON, "the body is not valid JSON")
	}
	return &requestbody.Request{
		Kind: catalog.Chat, Protocol: requestbody.Gemini, Body: body, Model: model, Stream: stream, Choices: 1, NativeOnly: []string{"contents"},
	}, nil
}

// smallMessages is a small part of the Messages protocol: text only.
type smallMessages struct{}

func (smallMessages) StripState(r *requestbody.Request) (*requestbody.Request, error) { return r, nil }

func (smallMessages) KeepAlive() []byte { return []byte("event: ping\ndata: {\"type\":\"ping\"}\n\n") }

func (smallMessages) NewRelay(o inbound.Options) inbound.Relay { return &messagesRelay{options: o} }

// translations counts the calls of ToChat.
var translations atomic.Int64

func (smallMessages) ToChat(r *requestbody.Request) (*inbound.Translation, error) {
	translations.Add(1)
	if r.FindMember("untranslatable") != nil {
		return nil, apperr.New(apperr.UnsupportedParameter, "untranslatable cannot be translated").With("param", "untranslatable")
	}
	t := &inbound.Translation{Body: r.Body, Responder: smallMessages{}}
	if r.FindMember("cache_control") != nil {
		t.Dropped = []string{"cache_control"}
	}
	if r.Stream {
		t.Body = append([]byte(`{"stream_options":{"include_usage":true},`), r.Body[1:]...)
	}
	return t, nil
}

func (smallMessages) FromChat(body []byte, o inbound.Options) ([]byte, error) {
	var chat struct {
		Choices []struct{ Message struct{ Content string } }
	}
	if err := json.Unmarshal(body, &chat); err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, `{"id":"msg_%s","type":"message","model":%q,"content":[{"type":"text","text":%q}]}`, o.ID, o.Model, chat.Choices[0].Message.Content), nil
}

func (smallMessages) NewStream(o inbound.Options) inbound.Stream { return &messagesStream{options: o} }

type messageUsage struct {
	Input  int64 `json:"input_tokens"`
	Output int64 `json:"output_tokens"`
}

func (smallMessages) RelayBody(body []byte, o inbound.Options) (normalize.Response, error) {
	var m struct {
		Type  string
		Usage messageUsage
	}
	if err := json.Unmarshal(body, &m); err != nil || m.Type != "message" {
		return normalize.Response{}, apperr.New(apperr.ProviderInvalidResponse, "not a message")
	}
	return normalize.Response{Body: replaceModel(body, o), Usage: &catalog.Usage{Input: m.Usage.Input, Output: m.Usage.Output}}, nil
}

func replaceModel(payload []byte, o inbound.Options) []byte {
	return bytes.ReplaceAll(payload, []byte(`"model":"up"`), fmt.Appendf(nil, `"model":%q`, o.Model))
}

func event(dst []byte, name string, payload []byte) []byte {
	return fmt.Appendf(dst, "event: %s\ndata: %s\n\n", name, payload)
}
