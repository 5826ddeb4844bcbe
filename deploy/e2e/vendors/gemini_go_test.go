package vendors

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/genai"

	"github.com/signalbox/signalbox/pkg/testkit/emulate"
)

type geminiBox struct {
	*emulate.Server
	*genai.Client
	t *testing.T
}

func newGemini(t *testing.T) geminiBox {
	s := emulate.Gemini(options)
	c, err := genai.NewClient(t.Context(), &genai.ClientConfig{
		APIKey: key, Backend: genai.BackendGeminiAPI, HTTPOptions: genai.HTTPOptions{BaseURL: listen(t, s)},
	})
	require.NoError(t, err)
	return geminiBox{s, c, t}
}

func (b geminiBox) ask(model string, contents []*genai.Content, config *genai.GenerateContentConfig) *genai.GenerateContentResponse {
	b.t.Helper()
	r, err := b.Models.GenerateContent(b.t.Context(), model, contents, config)
	require.NoError(b.t, err)
	return r
}

// stream joins the parts of all chunks.
func (b geminiBox) stream(model string, contents []*genai.Content, config *genai.GenerateContentConfig) (*genai.GenerateContentResponse, error) {
	var all *genai.GenerateContentResponse
	for r, err := range b.Models.GenerateContentStream(b.t.Context(), model, contents, config) {
		if err != nil {
			return all, err
		}
		if all == nil {
			all = r
			continue
		}
		to, from := all.Candidates[0], r.Candidates[0]
		// The library's chats skip empty parts too.
		if p := from.Content.Parts[0]; p.Text != "" || p.FunctionCall != nil || p.ThoughtSignature != nil {
			to.Content.Parts = append(to.Content.Parts, p)
		}
		to.FinishReason, all.UsageMetadata = from.FinishReason, r.UsageMetadata
	}
	return all, nil
}

func TestGeminiGoChat(t *testing.T) {
	b := newGemini(t)
	config := &genai.GenerateContentConfig{SystemInstruction: genai.NewContentFromText("be brief", genai.RoleUser)}
	whole := b.ask("gemini-2.5-flash", genai.Text("hello"), config)
	streamed, err := b.stream("gemini-2.5-flash", genai.Text("hello"), config)
	require.NoError(t, err)
	for _, r := range []*genai.GenerateContentResponse{whole, streamed} {
		require.Equal(t, "You said: hello", r.Text())
		require.Equal(t, genai.FinishReasonStop, r.Candidates[0].FinishReason)
		u, want := r.UsageMetadata, lastEntry(t, b.Server).Usage
		require.EqualValues(t, want.Input, u.PromptTokenCount)
		require.EqualValues(t, emulate.Tokens("You said: hello"), u.CandidatesTokenCount)
		require.EqualValues(t, want.Reasoning, u.ThoughtsTokenCount)
		require.Equal(t, u.PromptTokenCount+u.CandidatesTokenCount+u.ThoughtsTokenCount, u.TotalTokenCount)
	}
}

func TestGeminiGoTools(t *testing.T) {
	b := newGemini(t)
	config := &genai.GenerateContentConfig{Tools: []*genai.Tool{{FunctionDeclarations: []*genai.FunctionDeclaration{
		{Name: "get_weather", ParametersJsonSchema: weather},
		{Name: "get_time", Parameters: &genai.Schema{Type: genai.TypeObject, Required: []string{"city"}, Properties: map[string]*genai.Schema{"city": {Type: genai.TypeString}}}},
	}}}}
	for _, stream := range []bool{false, true} {
		said := genai.Text("call get_weather and get_time")
		r, err := b.stream("gemini-3-pro-preview", said, config)
		if !stream {
			r, err = b.Models.GenerateContent(t.Context(), "gemini-3-pro-preview", said, config)
		}
		require.NoError(t, err)
		calls := r.FunctionCalls()
		require.Len(t, calls, 2)
		require.Equal(t, "some city", calls[0].Args["city"])
		answer := &genai.Content{Role: genai.RoleUser}
		for _, c := range calls {
			answer.Parts = append(answer.Parts, genai.NewPartFromFunctionResponse(c.Name, map[string]any{"output": "rain"}))
		}
		turns := append(said, r.Candidates[0].Content, answer)
		require.Contains(t, b.ask("gemini-3-pro-preview", turns, config).Text(), "rain")
		r.Candidates[0].Content.Parts[0].ThoughtSignature = nil
		_, err = b.Models.GenerateContent(t.Context(), "gemini-3-pro-preview", turns, config)
		require.ErrorContains(t, err, "missing a thought_signature")
	}
}

func TestGeminiGoThinkingFormatsAndImages(t *testing.T) {
	b := newGemini(t)
	r := b.ask("gemini-3-flash-preview", genai.Text("hello"), &genai.GenerateContentConfig{
		ThinkingConfig: &genai.ThinkingConfig{IncludeThoughts: true, ThinkingLevel: genai.ThinkingLevelLow},
	})
	parts := r.Candidates[0].Content.Parts
	require.True(t, parts[0].Thought)
	require.NotEmpty(t, parts[1].ThoughtSignature)
	again := append(genai.Text("hello"), r.Candidates[0].Content, genai.NewContentFromText("go on", genai.RoleUser))
	require.Equal(t, "You said: go on", b.ask("gemini-3-flash-preview", again, nil).Text())

	requireWeather(t, b.ask("gemini-2.5-pro", genai.Text("the weather"), &genai.GenerateContentConfig{
		ResponseMIMEType: "application/json", ResponseJsonSchema: weather,
	}).Text())

	image := []*genai.Content{{Role: genai.RoleUser, Parts: []*genai.Part{genai.NewPartFromText("look"), genai.NewPartFromBytes([]byte("image"), "image/png")}}}
	require.Contains(t, b.ask("gemini-2.5-pro", image, nil).Text(), "1 attachments")

	r = b.ask("gemini-2.0-flash", genai.Text("hello"), &genai.GenerateContentConfig{MaxOutputTokens: 2})
	require.Equal(t, genai.FinishReasonMaxTokens, r.Candidates[0].FinishReason)

	r = b.ask("gemini-2.0-flash", genai.Text("[[emulate:block]]"), nil)
	require.Equal(t, genai.BlockedReasonSafety, r.PromptFeedback.BlockReason)
}

func TestGeminiGoEmbeddingsCountsAndModels(t *testing.T) {
	b := newGemini(t)
	size := int32(256)
	texts := []*genai.Content{genai.NewContentFromText("a", genai.RoleUser), genai.NewContentFromText("b", genai.RoleUser)}
	e, err := b.Models.EmbedContent(t.Context(), "gemini-embedding-001", texts, &genai.EmbedContentConfig{OutputDimensionality: &size})
	require.NoError(t, err)
	require.Len(t, e.Embeddings, 2)
	require.Len(t, e.Embeddings[1].Values, 256)
	n, err := b.Models.CountTokens(t.Context(), "gemini-2.5-pro", genai.Text("hello"), nil)
	require.NoError(t, err)
	require.Equal(t, b.ask("gemini-2.5-pro", genai.Text("hello"), nil).UsageMetadata.PromptTokenCount, n.TotalTokens)
	page, err := b.Models.List(t.Context(), nil)
	require.NoError(t, err)
	require.NotEmpty(t, page.Items)
	m, err := b.Models.Get(t.Context(), "gemini-2.5-pro", nil)
	require.NoError(t, err)
	require.Equal(t, "models/gemini-2.5-pro", m.Name)
}

func TestGeminiGoErrors(t *testing.T) {
	b := newGemini(t)
	for name, want := range map[string]struct {
		code   int
		status string
	}{
		"401": {400, "INVALID_ARGUMENT"}, "403": {403, "PERMISSION_DENIED"}, "404": {404, "NOT_FOUND"}, "429": {429, "RESOURCE_EXHAUSTED"},
		"500": {500, "INTERNAL"}, "503": {503, "UNAVAILABLE"}, "504": {504, "DEADLINE_EXCEEDED"}, "region": {400, "FAILED_PRECONDITION"},
	} {
		_, err := b.Models.GenerateContent(t.Context(), "gemini-2.5-pro", genai.Text("[[emulate:"+name+"]]"), nil)
		var e genai.APIError
		require.ErrorAs(t, err, &e)
		require.Equal(t, want.code, e.Code)
		require.Equal(t, want.status, e.Status)
	}
	_, err := b.stream("gemini-2.5-pro", genai.Text("[[emulate:error=1]]"), nil)
	require.Error(t, err)
}
