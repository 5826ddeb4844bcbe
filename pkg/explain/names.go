package explain

// languages are the names of the feature language, from 1 on.
var languages = [...]string{
	"English", "German", "French", "Spanish", "Portuguese", "Italian", "Dutch", "Polish", "Turkish", "Swedish",
	"Russian", "Ukrainian", "Greek", "Arabic", "Hebrew", "Hindi", "Chinese", "Japanese", "Korean", "Thai",
}

// programmingLanguages are the names of the feature code_language, from 1 on.
var programmingLanguages = [...]string{
	"Go", "Python", "JavaScript", "Java", "C", "Rust", "SQL", "shell", "HTML", "C#", "PHP", "Ruby",
}

// lengths are the classes of the feature length, from 1 on.
var lengths = [...]string{"up to 40 bytes", "up to 200 bytes", "up to 1,000 bytes", "up to 4,000 bytes", "above 4,000 bytes"}

// nameOf returns the name with a number from 1 on, or "".
func nameOf(names []string, n int64) string {
	if n < 1 || n > int64(len(names)) {
		return ""
	}
	return names[n-1]
}
