package api

import (
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
)

// anthropicModel is a model in Anthropic's format.
type anthropicModel struct {
	Type        string `json:"type"`
	ID          string `json:"id"`
	DisplayName string `json:"display_name"`
	CreatedAt   string `json:"created_at"`
}

func (c modelCard) toAnthropic() anthropicModel {
	return anthropicModel{"model", c.ID, c.ID, time.Unix(c.Created, 0).UTC().Format(time.RFC3339)}
}

// sendAnthropicModels sends the chat models in Anthropic's format.
func (e *edge) sendAnthropicModels(x *exchange, cards []modelCard) {
	query := pageQuery{limit: "limit", after: "after_id", before: "before_id", defaultLimit: 20}
	page, err := query.selectPage(e.withAuto(x, cards, policy.ClaudeAuto, catalog.Chat), x.r.URL.Query())
	if err != nil {
		x.sendError(err)
		return
	}
	var list struct {
		Data    []anthropicModel `json:"data"`
		HasMore bool             `json:"has_more"`
		FirstID *string          `json:"first_id"`
		LastID  *string          `json:"last_id"`
	}
	list.Data, list.HasMore = []anthropicModel{}, page.hasMore
	for _, c := range page.cards {
		list.Data = append(list.Data, c.toAnthropic())
	}
	if n := len(list.Data); n > 0 {
		list.FirstID, list.LastID = &list.Data[0].ID, &list.Data[n-1].ID
	}
	writeJSON(x, list)
}

// geminiModel is a model in Google's format.
type geminiModel struct {
	Name             string   `json:"name"`
	BaseModelID      string   `json:"baseModelId"`
	DisplayName      string   `json:"displayName"`
	InputTokenLimit  int64    `json:"inputTokenLimit,omitempty"`
	OutputTokenLimit int64    `json:"outputTokenLimit,omitempty"`
	Methods          []string `json:"supportedGenerationMethods"`
}

func (c modelCard) toGemini() geminiModel {
	methods := []string{"generateContent", "streamGenerateContent", "countTokens"}
	if c.Kind == catalog.Embeddings {
		methods = []string{"embedContent", "batchEmbedContents"}
	}
	return geminiModel{"models/" + c.ID, c.ID, c.ID, c.ContextLength, c.MaxOutput, methods}
}

// sendGeminiModels sends all models in Google's format. The token of the next page is the name
// of the last model of this page.
func (e *edge) sendGeminiModels(x *exchange, cards []modelCard) {
	query := pageQuery{limit: "pageSize", after: "pageToken", defaultLimit: 50}
	page, err := query.selectPage(e.withAuto(x, cards, policy.GeminiAuto, catalog.Chat, catalog.Embeddings), x.r.URL.Query())
	if err != nil {
		x.sendError(err)
		return
	}
	var list struct {
		Models        []geminiModel `json:"models"`
		NextPageToken string        `json:"nextPageToken,omitempty"`
	}
	list.Models = []geminiModel{}
	for _, c := range page.cards {
		list.Models = append(list.Models, c.toGemini())
	}
	if n := len(page.cards); n > 0 && page.hasMore {
		list.NextPageToken = page.cards[n-1].ID
	}
	writeJSON(x, list)
}
