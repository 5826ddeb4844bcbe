package litellm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// servedModes are the modes of models that Signalbox serves. Most files write no mode.
var servedModes = []string{"", "chat", "completion", "responses", modeEmbedding}

const modeEmbedding = "embedding"

// otherModels are the beginnings of names of models for images and audio, for which LiteLLM needs no
// mode.
var otherModels = []string{"dall-e", "gpt-image", "whisper", "tts-"}

func (d deployment) isEmbedding() bool { return d.Info.Mode == modeEmbedding }

// whyUnserved returns why no request can be served by a deployment, or "".
func (c *converter) whyUnserved(d deployment) string {
	_, upstream := c.splitModel(d.Params.Model)
	isOther := slices.ContainsFunc(otherModels, func(start string) bool { return strings.HasPrefix(upstream, start) })
	switch {
	case upstream == "":
		return fmt.Sprintf("%q names no model", d.Params.Model)
	case !slices.Contains(servedModes, d.Info.Mode):
		return fmt.Sprintf("models of the mode %q are not supported", d.Info.Mode)
	case d.Info.Mode == "" && isOther:
		return fmt.Sprintf("%q is not a model for chat or embeddings", d.Params.Model)
	}
	return ""
}

// setMode fills a mode that the file does not write, if the catalog knows the model.
func (c *converter) setMode(d *candidate) {
	if d.Info.Mode != "" {
		return
	}
	entry, _, ok := c.Catalog().FindEndpoint(d.provider, d.upstream)
	if !ok {
		entry, ok = c.Catalog().FindByName(d.upstream[strings.LastIndex(d.upstream, "/")+1:])
	}
	if ok && entry.Kind == catalog.Embeddings {
		d.Info.Mode = modeEmbedding
	}
}
