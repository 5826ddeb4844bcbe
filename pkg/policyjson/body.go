package policyjson

import (
	"encoding/json"
	"fmt"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/decidepb"
	"github.com/signalbox/signalbox/pkg/requestbody"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

// ParseQuestionOrBody parses a question like ParseQuestion, or the body of a request to a
// proxy. A body has messages, input or contents. The proxy's own parser turns it into the
// question that a proxy would send. A body need not name a model: the default is auto. Beside
// the fields of the API it may have a caller, as a question has.
//
// protocol is the API of the body: chat, messages, responses, gemini or embeddings. If it is
// empty, the fields of the body decide.
func ParseQuestionOrBody(text []byte, protocol string) (*routerv1.Question, error) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(text, &fields) != nil {
		return ParseQuestion(text) // it describes the problem
	}
	parse, err := bodyParser(protocol, fields)
	if err != nil {
		return nil, err
	}
	if parse == nil {
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
	asked := r.Question()
	q := decidepb.FromQuestion(&asked, r.Excerpt(requestbody.MaxExcerptBytes))
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
