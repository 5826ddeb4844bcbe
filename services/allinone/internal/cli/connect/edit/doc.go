// Package edit sets single entries in the text of a settings file and takes them back.
//
// Format.Apply sets entries. Format.Restore removes them from a text that was edited since,
// and puts back the values that the original text had. Comments, order and formatting of
// everything else stay as they are, byte for byte.
//
// A parser finds the positions, and the text is changed there:
//
//   - JSON with comments: the syntax tree of hujson writes unchanged parts as they were.
//   - TOML: no maintained Go library writes TOML with its comments. The parser of go-toml
//     reports the byte range of every key, and only a few keys and one table are added.
//   - YAML: encoders indent and quote anew. The nodes of yaml/v3 have line numbers, and only
//     top-level keys and items of a top-level list are changed.
//   - .env files: the expression of the dotenv package of npm, which clients use.
//
// Every change is checked: the new text is parsed, and all other values must be the same as
// before. If they are not, the change is refused with an error, so that an unusual file is
// never damaged.
//
// The package works on bytes only. Package userfiles reads and writes the files.
package edit
