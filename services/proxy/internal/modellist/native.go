package modellist

import (
	"net/url"
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
)

// OpenAIList is a list of models in OpenAI's format. It has no pages.
type OpenAIList struct {
	Object string `json:"object"`
	Data   []Card `json:"data"`
}

// ForOpenAI returns all models in OpenAI's format.
func (l *List) ForOpenAI() OpenAIList { return OpenAIList{"list", l.cards} }

// AnthropicModel is a model in Anthropic's format.
type AnthropicModel struct {
	Type        string `json:"type"`
	ID          string `json:"id"`
	DisplayName string `json:"display_name"`
	CreatedAt   string `json:"created_at"`
}

// AnthropicList is a page of models in Anthropic's format.
type AnthropicList struct {
	Data    []AnthropicModel `json:"data"`
	HasMore bool             `json:"has_more"`
	FirstID *string          `json:"first_id"`
	LastID  *string          `json:"last_id"`
}

// ForAnthropic returns the model in Anthropic's format.
func (c Card) ForAnthropic() AnthropicModel {
	return AnthropicModel{"model", c.ID, c.ID, time.Unix(c.Created, 0).UTC().Format(time.RFC3339)}
}

// ForAnthropic returns the chat models in Anthropic's format. query selects the page.
func (l *List) ForAnthropic(query url.Values) (*AnthropicList, error) {
	q := pageQuery{limit: "limit", after: "after_id", before: "before_id", defaultLimit: 20}
	page, err := q.selectPage(l.withAuto(policy.ClaudeAuto, catalog.Chat), query)
	if err != nil {
		return nil, err
	}
	list := &AnthropicList{Data: []AnthropicModel{}, HasMore: page.hasMore}
	for _, c := range page.cards {
		list.Data = append(list.Data, c.ForAnthropic())
	}
	if n := len(list.Data); n > 0 {
		list.FirstID, list.LastID = &list.Data[0].ID, &list.Data[n-1].ID
	}
	return list, nil
}

// GeminiModel is a model in Google's format.
type GeminiModel struct {
	Name             string   `json:"name"`
	BaseModelID      string   `json:"baseModelId"`
	DisplayName      string   `json:"displayName"`
	InputTokenLimit  int64    `json:"inputTokenLimit,omitempty"`
	OutputTokenLimit int64    `json:"outputTokenLimit,omitempty"`
	Methods          []string `json:"supportedGenerationMethods"`
}

// GeminiList is a page of models in Google's format.
type GeminiList struct {
	Models        []GeminiModel `json:"models"`
	NextPageToken string        `json:"nextPageToken,omitempty"`
}

// ForGemini returns the model in Google's format.
func (c Card) ForGemini() GeminiModel {
	methods := []string{"generateContent", "streamGenerateContent", "countTokens"}
	if c.Kind == catalog.Embeddings {
		methods = []string{"embedContent", "batchEmbedContents"}
	}
	return GeminiModel{"models/" + c.ID, c.ID, c.ID, c.ContextLength, c.MaxOutput, methods}
}

// ForGemini returns all models in Google's format. query selects the page. The token of the next
// page is the name of the last model of this page.
func (l *List) ForGemini(query url.Values) (*GeminiList, error) {
	q := pageQuery{limit: "pageSize", after: "pageToken", defaultLimit: 50}
	page, err := q.selectPage(l.withAuto(policy.GeminiAuto, catalog.Chat, catalog.Embeddings), query)
	if err != nil {
		return nil, err
	}
	list := &GeminiList{Models: []GeminiModel{}}
	for _, c := range page.cards {
		list.Models = append(list.Models, c.ForGemini())
	}
	if n := len(page.cards); n > 0 && page.hasMore {
		list.NextPageToken = page.cards[n-1].ID
	}
	return list, nil
}
