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
	// MaxDocument is the maximum size of a document in bytes. It is far larger than any
	// real policy.
	MaxDocument = 512 << 10
	// maxDepth exceeds the nesting of the policy format. The parser is recursive, so
	// deeper nesting could exhaust the stack.
	maxDepth = 32
)

// parse reads one YAML document into a tree with positions. It accepts mappings,
// lists and scalars only. It rejects anchors, tags and merge keys, because they make
// a document harder to read.
func parse(document []byte) (ast.Node, Problems) {
	if len(document) > MaxDocument {
		return nil, Problems{{Line: 1, Column: 1, Code: CodeTooLarge, Message: "the document is too large: at most 512 KiB"}}
	}
	if !utf8.Valid(document) || bytes.IndexByte(document, 0) >= 0 {
		return nil, Problems{{Line: 1, Column: 1, Code: CodeSyntax, Message: "the document is not valid UTF-8 text"}}
	}
	// Some editors write a byte order mark.
	tokens := lexer.Tokenize(strings.TrimPrefix(string(document), "\ufeff"))
	if ps := findUnsupportedTokens(tokens); len(ps) > 0 {
		return nil, ps
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, Problems{syntaxProblem(err)}
	}
	if len(file.Docs) > 1 {
		return nil, Problems{{Line: 1, Column: 1, Code: CodeSyntax, Message: "the file has more than one YAML document: remove the --- separators"}}
	}
	if len(file.Docs) == 0 {
		return nil, nil
	}
	return file.Docs[0].Body, nil
}

// findUnsupportedTokens reports tokens that the policy format does not allow. It also
// reports nesting that is too deep for the recursive parser, and lists and mappings that
// are too long for it.
func findUnsupportedTokens(tokens token.Tokens) Problems {
	var ps Problems
	reject := func(t *token.Token, code, message string) {
		ps = append(ps, Problem{Line: t.Position.Line, Column: t.Position.Column, Code: code, Message: message})
	}
	flow, dashes, line := 0, 0, 0
	var block blockCounter
	for _, t := range tokens {
		if flow == 0 && block.countEntry(t) > maxEntries {
			reject(t, CodeTooLarge, "too many entries: a list or a mapping can have at most 5000")
			return ps
		}
		switch t.Type {
		case token.AnchorType, token.AliasType, token.MergeKeyType, token.TagType, token.DirectiveType, token.MappingKeyType:
			reject(t, CodeUnsupportedYAML, "anchors, aliases, tags and complex keys are not supported: write the value in full")
		case token.InvalidType:
			reject(t, CodeSyntax, "invalid YAML: "+t.Error)
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
			reject(t, CodeUnsupportedYAML, "nesting is too deep")
			return ps
		}
	}
	return ps
}

func syntaxProblem(err error) Problem {
	p := Problem{Line: 1, Column: 1, Code: CodeSyntax, Message: "invalid YAML"}
	var y yaml.Error
	if errors.As(err, &y) {
		p.Message = y.GetMessage()
		if t := y.GetToken(); t != nil && t.Position != nil {
			p.Line, p.Column = t.Position.Line, t.Position.Column
		}
	}
	return p
}
