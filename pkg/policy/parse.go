package policy

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

const (
	// maxDocument is far above any real policy; the rest is an accident.
	maxDocument = 512 << 10
	// maxDepth is more than the language ever nests. The parser is recursive,
	// so without it a hostile document could exhaust the stack.
	maxDepth = 32
)

// parse reads one YAML document into a tree with positions. Of YAML it takes
// mappings, lists and scalars: what is written is what is meant, without
// anchors, tags or merges that would have to be followed in the head.
func parse(document []byte) (ast.Node, Problems) {
	if len(document) > maxDocument {
		return nil, Problems{{Line: 1, Column: 1, Code: CodeTooLarge, Message: "the document is larger than 512 KiB"}}
	}
	if !utf8.Valid(document) || bytes.IndexByte(document, 0) >= 0 {
		return nil, Problems{{Line: 1, Column: 1, Code: CodeSyntax, Message: "the document is not a UTF-8 text"}}
	}
	// Some editors put a mark before the text that says how it is encoded.
	tokens := lexer.Tokenize(strings.TrimPrefix(string(document), "\ufeff"))
	if ps := unsupported(tokens); len(ps) > 0 {
		return nil, ps
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, Problems{syntaxProblem(err)}
	}
	if len(file.Docs) > 1 {
		return nil, Problems{{Line: 1, Column: 1, Code: CodeSyntax, Message: "the file has more than one document"}}
	}
	if len(file.Docs) == 0 {
		return nil, nil
	}
	return file.Docs[0].Body, nil
}

// unsupported looks at the tokens, before the recursive parser does.
func unsupported(tokens token.Tokens) Problems {
	var ps Problems
	refuse := func(t *token.Token, code, message string) {
		ps = append(ps, Problem{Line: t.Position.Line, Column: t.Position.Column, Code: code, Message: message})
	}
	flow, dashes, line := 0, 0, 0
	var block crowd
	for _, t := range tokens {
		if flow == 0 && block.enter(t) > maxEntries {
			refuse(t, CodeTooLarge, "a list or a mapping has at most 5000 entries")
			return ps
		}
		switch t.Type {
		case token.AnchorType, token.AliasType, token.MergeKeyType, token.TagType, token.DirectiveType, token.MappingKeyType:
			refuse(t, CodeUnsupportedYAML, "anchors, aliases, tags and complex keys are not part of the language")
		case token.InvalidType:
			refuse(t, CodeSyntax, "this is not YAML: "+t.Error)
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow--
		case token.SequenceEntryType:
			if t.Position.Line != line {
				dashes, line = 0, t.Position.Line
			}
			dashes++
		}
		if flow > maxDepth || dashes > maxDepth || t.Position.IndentNum > 8*maxDepth {
			refuse(t, CodeUnsupportedYAML, "nested too deeply")
			return ps
		}
	}
	return ps
}

func syntaxProblem(err error) Problem {
	p := Problem{Line: 1, Column: 1, Code: CodeSyntax, Message: "this is not YAML"}
	var y yaml.Error
	if errors.As(err, &y) {
		p.Message = y.GetMessage()
		if t := y.GetToken(); t != nil && t.Position != nil {
			p.Line, p.Column = t.Position.Line, t.Position.Column
		}
	}
	return p
}
