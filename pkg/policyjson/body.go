package policyjson

import (
	"encoding/json"
	"fmt"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/decidepb"
	"github.com/signalbox/signalbox/pkg/requestbody"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

// ParseQuestionOrBody parses a question like ParseQuestion, or the body of a request to a
// proxy. A body has messages or input. The proxy's own parser turns it into the question
// that a proxy would send. A body need not name a model: the default is auto. Beside the
// fields of the API it may have a caller, as a question has.
func ParseQuestionOrBody(text []byte) (*routerv1.Question, error) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(text, &fields) != nil {
		return ParseQuestion(text) // it describes the problem
	}
	parse := requestbody.ParseChat
	if _, isEmbedding := fields["input"]; isEmbedding {
		parse = requestbody.ParseEmbeddings
	}
	if fields["messages"] == nil && fields["input"] == nil {
		return ParseQuestion(text)
	}
	caller, body, err := splitCaller(fields, text)
	if err != nil {
		return nil, err
	}
	r, err := parse(body)
	if err != nil {
		return nil, fmt.Errorf("the request body is not valid: %s", apperr.From(err).Message)
	}
	excerpt := r.Excerpt(requestbody.MaxExcerptBytes)
	q := decidepb.FromQuestion(&decide.Question{
		Kind: r.Kind, Model: r.Model, Needs: r.RequiredCapabilities, InputTokens: r.InputTokens,
		MaxOutputTokens: r.MaxOutputTokens, Features: r.Features, Metadata: r.Metadata, OwnEffort: r.SetsEffort(),
	}, excerpt)
	q.Caller = caller
	return q, nil
}

// splitCaller returns the caller of a body, and the body without it and with a model. It
// leaves a body that needs no change as it is, so that the parser sees what the user wrote.
func splitCaller(fields map[string]json.RawMessage, text []byte) (*routerv1.Caller, []byte, error) {
	caller, hasCaller := fields["caller"]
	if _, hasModel := fields["model"]; hasModel && !hasCaller {
		return nil, text, nil
	} else if !hasModel {
		fields["model"] = json.RawMessage(`"auto"`)
	}
	delete(fields, "caller")
	body, err := json.Marshal(fields)
	if err != nil || !hasCaller {
		return nil, body, err
	}
	q, err := ParseQuestion([]byte(`{"caller":` + string(caller) + `}`))
	return q.GetCaller(), body, err
}
