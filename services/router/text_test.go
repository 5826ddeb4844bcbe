package router_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/decidepb"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/router"
)

func askText(text string) *routerv1.DecideRequest {
	r := ask("auto")
	r.Question.Excerpt = text
	return r
}

// Unary calls and the stream return the features of the question and of the text.
func TestDecisionsContainAllFeatures(t *testing.T) {
	c := start(t, router.Config{})
	r, err := c.router.Decide(bounded(t), askText("Translate it"))
	require.NoError(t, err)
	f := decidepb.ToDecision(r.GetDecision()).Features
	require.Equal(t, int64(1), f.GetOrZero("task_translate"))
	require.Equal(t, int64(1), f.GetOrZero("turns"))

	stream, err := c.router.DecideStream(bounded(t))
	require.NoError(t, err)
	require.NoError(t, stream.Send(&routerv1.DecideStreamRequest{Id: 1, Request: askText("Translate it")}))
	answer, err := stream.Recv()
	require.NoError(t, err)
	require.Equal(t, f, decidepb.ToDecision(answer.GetResponse().GetDecision()).Features)
	require.NoError(t, stream.CloseSend())

	x, err := c.policies.Explain(bounded(t), &routerv1.ExplainRequest{Question: askText("Translate it").GetQuestion()})
	require.NoError(t, err)
	require.Equal(t, f, decidepb.ToDecision(x.GetDecision()).Features)
}
