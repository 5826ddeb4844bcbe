package router_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/decidepb"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/router"
)

func askText(text string) *routerv1.DecideRequest {
	r := ask("auto")
	r.Question.Excerpt = text
	return r
}

// Explain returns all features. Unary calls and the stream return only those of the text, because
// the proxy has the others.
func TestDecisionsContainTheFeaturesOfTheText(t *testing.T) {
	c := start(t, router.Config{})
	x, err := c.policies.Explain(bounded(t), &routerv1.ExplainRequest{Question: askText("Translate it").GetQuestion()})
	require.NoError(t, err)
	all := decidepb.ToDecision(x.GetDecision()).Features
	require.Equal(t, int64(1), all.GetOrZero("task_translate"))
	require.Equal(t, int64(1), all.GetOrZero("turns"))

	r, err := c.router.Decide(bounded(t), askText("Translate it"))
	require.NoError(t, err)
	ofText := decidepb.ToDecision(r.GetDecision()).Features
	asked := decide.NamedValues{{Name: "turns", Value: 1}}
	require.Equal(t, all, decide.AppendMerged(nil, asked, ofText))
	_, repeated := ofText.Get("turns")
	require.False(t, repeated)

	stream, err := c.router.DecideStream(bounded(t))
	require.NoError(t, err)
	require.NoError(t, stream.Send(&routerv1.DecideStreamRequest{Id: 1, Request: askText("Translate it")}))
	answer, err := stream.Recv()
	require.NoError(t, err)
	require.Equal(t, ofText, decidepb.ToDecision(answer.GetResponse().GetDecision()).Features)
	require.NoError(t, stream.CloseSend())
}
