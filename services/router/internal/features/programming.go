package features

// programmingWords returns keywords and names of programming languages, and words about
// programming.
func programmingWords() map[meaning]string {
	return map[meaning]string{
		golang: `func package chan defer struct interface nil fmt goroutine import return range var type const`,
		python: `def elif self none lambda import from except pass yield async await print len range raise with in try
			class return`,
		javascript: `function const let var async await console undefined null export import from require document this new
			return typeof class`,
		java:   `public private protected static void final class extends implements new import package string boolean throws return`,
		clang:  `include define int char void printf struct std cout cin malloc sizeof unsigned double float return typedef template namespace`,
		rust:   `fn let mut impl pub struct enum match use crate trait self unwrap string vec`,
		sql:    `select from where join group order by insert into values update delete create table having limit inner left on`,
		shell:  `echo sudo grep apt export cd chmod curl fi esac done awk sed mkdir bin bash`,
		html:   `div span html body head href script style css class src img`,
		csharp: `public private static void class using namespace string var new async task foreach readonly override`,
		php:    `php echo function foreach array public`,
		ruby:   `def end puts require attr_accessor module class nil do unless`,

		golang | languageName:     `golang goroutines`,
		python | languageName:     `python pandas numpy django flask pytest`,
		javascript | languageName: `javascript typescript nodejs react jquery`,
		java | languageName:       `java kotlin springboot`,
		clang | languageName:      `cpp pointer pointers`,
		rust | languageName:       `cargo borrowck`,
		sql | languageName:        `sql postgres postgresql mysql sqlite`,
		shell | languageName:      `bash zsh powershell`,
		html | languageName:       `html css`,
		csharp | languageName:     `csharp dotnet`,
		php | languageName:        `php laravel`,
		ruby | languageName:       `rails rspec`,

		program: `code function bug compile compiler script api regex algorithm database query variable loop array refactor
			debug unittest unittests implement docker git endpoint class method methods library framework codebase recursion
			recursive runtime http server parser thread mutex python javascript typescript java golang rust sql bash html
			css php kotlin react django pandas stacktrace exception async stdin stdout cpp kubernetes yaml repository`,
		failure: `traceback stacktrace exception panic segfault segmentation goroutine`,
	}
}

// fenceLanguages holds the feature code_language for the name after a code fence.
var fenceLanguages = map[string]int{
	"go": 1, "golang": 1,
	"python": 2, "py": 2, "python3": 2,
	"javascript": 3, "js": 3, "typescript": 3, "ts": 3, "jsx": 3, "tsx": 3,
	"java": 4, "kotlin": 4,
	"c": 5, "cpp": 5, "c++": 5, "h": 5,
	"rust": 6, "rs": 6,
	"sql":  7,
	"bash": 8, "sh": 8, "shell": 8, "zsh": 8, "console": 8,
	"html": 9, "css": 9, "xml": 9,
	"csharp": 10, "cs": 10, "c#": 10,
	"php":  11,
	"ruby": 12, "rb": 12,
}
