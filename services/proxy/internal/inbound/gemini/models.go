package gemini

import (
	"slices"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// AutoModel is the name under which clients of Google find the route "auto". Some clients
// list only models whose names start with gemini.
const AutoModel = "gemini-auto"

// Model is a model in the list of models.
type Model struct {
	ID, DisplayName string
	// Context and MaxOutput are token limits. Zero means unknown.
	Context, MaxOutput int64
	Kinds              []catalog.Kind
}

// methods lists the methods of Google's API that serve a kind of model.
var methods = map[catalog.Kind][]string{
	catalog.Chat:       {"generateContent", "streamGenerateContent", "countTokens"},
	catalog.Embeddings: {"embedContent", "batchEmbedContents"},
}

// ModelsBody returns one page of the list of models. nextPageToken is empty on the last page.
func ModelsBody(models []Model, nextPageToken string) []byte {
	var w jsonWriter
	w.open('{')
	w.key("models").open('[')
	for i := range models {
		models[i].writeTo(&w)
	}
	w.close("]")
	if nextPageToken != "" {
		w.key("nextPageToken").text(nextPageToken)
	}
	w.close("}")
	return w.buf
}

// ModelBody returns the description of one model.
func ModelBody(m Model) []byte {
	var w jsonWriter
	m.writeTo(&w)
	return w.buf
}

// AutoEntry returns the entry for AutoModel. It has the largest limits of the chat models,
// because the gateway chooses a model that is large enough.
func AutoEntry(models []Model) Model {
	auto := Model{ID: AutoModel, DisplayName: "Auto", Kinds: []catalog.Kind{catalog.Chat}}
	for i := range models {
		if m := &models[i]; slices.Contains(m.Kinds, catalog.Chat) {
			auto.Context, auto.MaxOutput = max(auto.Context, m.Context), max(auto.MaxOutput, m.MaxOutput)
		}
	}
	return auto
}

func (m *Model) writeTo(w *jsonWriter) {
	name := m.DisplayName
	if name == "" {
		name = m.ID
	}
	w.open('{')
	w.key("name").text("models/" + m.ID)
	w.key("version").text(m.ID)
	w.key("displayName").text(name)
	if m.Context > 0 {
		w.key("inputTokenLimit").number(m.Context)
	}
	if m.MaxOutput > 0 {
		w.key("outputTokenLimit").number(m.MaxOutput)
	}
	w.key("supportedGenerationMethods").open('[')
	for _, kind := range m.Kinds {
		for _, method := range methods[kind] {
			w.text(method)
		}
	}
	w.close("]}")
}

// CountTokensBody returns the response to a countTokens call.
func CountTokensBody(tokens int64) []byte {
	var w jsonWriter
	w.open('{')
	w.key("totalTokens").number(tokens)
	w.close("}")
	return w.buf
}
