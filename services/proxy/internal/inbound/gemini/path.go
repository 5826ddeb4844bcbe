package gemini

import (
	"net/url"
	"strings"
)

// SplitPath splits the part of a path after the version, such as
// models/gemini-2.5-pro:generateContent, into the model and the method. path is escaped, as in
// the request line. The last colon separates the method, because the names of some models
// contain colons. The prefix models/ is not part of the name. Names with another prefix, such
// as tunedModels/, keep it. ok is false if the path has another form.
func SplitPath(path string) (model, method string, ok bool) {
	at := strings.LastIndexByte(path, ':')
	if at < 0 || strings.Contains(path[at:], "/") {
		return "", "", false
	}
	model, ok = ModelFromPath(path[:at])
	return model, path[at+1:], ok && path[at+1:] != ""
}

// ModelFromPath returns the model in a path without a method, such as models/gemini-2.5-pro.
func ModelFromPath(path string) (model string, ok bool) {
	name := strings.TrimPrefix(path, "/")
	if !strings.HasPrefix(name, "models/") && !strings.HasPrefix(name, "tunedModels/") {
		return "", false
	}
	model, err := url.PathUnescape(strings.TrimPrefix(name, "models/"))
	return model, err == nil && model != "" && !strings.HasSuffix(model, "/")
}
