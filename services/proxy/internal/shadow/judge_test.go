package shadow

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/topic"
)

func TestVerdictsAreRead(t *testing.T) {
	for text, want := range map[string]verdict{
		"B is right.\nVERDICT: B": secondBetter, "VERDICT: A": firstBetter, "verdict: **tie**": tie, "I said VERDICT: A, but no.\nVERDICT: B": secondBetter,
		"": unclear, "A": unclear, "VERDICT: BOTH": unclear, "VERDICT: C": unclear,
	} {
		require.Equal(t, want, parseVerdict(text), text)
	}
}

func TestBothOrdersCount(t *testing.T) {
	for _, tt := range []struct {
		servedFirst, candidateFirst verdict
		score                       int64
		consistent                  bool
	}{
		{secondBetter, firstBetter, 1000, true},
		{firstBetter, secondBetter, -1000, true},
		{tie, tie, 0, true},
		{firstBetter, firstBetter, 0, false},
		{secondBetter, secondBetter, 0, false},
		{tie, firstBetter, 500, false},
		{firstBetter, tie, -500, false},
	} {
		score, consistent := scoreVerdicts(tt.servedFirst, tt.candidateFirst)
		require.Equal(t, tt.score, score)
		require.Equal(t, tt.consistent, consistent)
	}
}

func TestEveryTaskHasARubric(t *testing.T) {
	e := &policy.Experiment{Rubrics: map[string]string{topic.Code: "mine"}}
	for _, task := range topic.All() {
		require.NotEmpty(t, rubricFor(e, task), task)
	}
	require.Equal(t, "mine", rubricFor(e, topic.Code))
}

// A response cannot pretend to end, because the mark is new for every judgement.
func TestTheMarkIsRandom(t *testing.T) {
	marks := map[string]bool{}
	for range 10 {
		r, err := buildJudgement("rubric", "conversation", "one", "two", 512)
		require.NoError(t, err)
		require.EqualValues(t, 512, r.MaxOutputTokens)
		body := string(r.Body)
		mark := body[strings.Index(body, "with the mark ")+len("with the mark "):]
		marks[mark[:26]] = true
	}
	require.Len(t, marks, 10)
}

func TestTheConversationIsCutInTheMiddle(t *testing.T) {
	long := conversationText([]byte(`{"messages":[{"role":"system","content":"first words"},{"role":"user","content":[{"type":"text","text":"` +
		strings.Repeat("x", maxConversation) + `"}]},{"role":"user","content":"last words"}]}`))
	require.LessOrEqual(t, len(long), maxConversation+len("\n[…]\n"))
	require.Contains(t, long, "first words")
	require.Contains(t, long, "last words")
}

func TestToolCallsAreTextForTheJudge(t *testing.T) {
	c, ok := parseCompletion([]byte(`{"choices":[{"message":{"content":null,"tool_calls":[{"function":{"name":"find","arguments":"{\"q\":1}"}}]},"finish_reason":"length"}]}`))
	require.True(t, ok)
	require.True(t, c.isTruncated)
	require.Contains(t, c.text, `[calls the tool find with {"q":1}]`)
	_, ok = parseCompletion([]byte(`{"choices":[]}`))
	require.False(t, ok)
}
