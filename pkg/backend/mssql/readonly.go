package mssql

import "strings"

// writingWords are the words that begin, or are part of, statements that change something.
var writingWords = map[string]bool{
	"ALTER": true, "BACKUP": true, "BEGIN": true, "BULK": true, "CLOSE": true, "COMMIT": true, "CREATE": true, "DBCC": true, "DELETE": true,
	"DENY": true, "DISABLE": true, "DROP": true, "ENABLE": true, "EXEC": true, "EXECUTE": true, "GRANT": true, "INSERT": true, "INTO": true,
	"KILL": true, "MERGE": true, "OPENQUERY": true, "OPENROWSET": true, "RECONFIGURE": true, "RESTORE": true, "REVERT": true,
	"REVOKE": true, "ROLLBACK": true, "SAVE": true, "SHUTDOWN": true, "TRUNCATE": true, "UPDATE": true, "UPDATETEXT": true,
	"USE": true, "WRITETEXT": true,
}

// What stands for a word: a quoted name at the beginning is that of a procedure, and where a comment ends that has other line ends
// than LF isn't sure.
const (
	quotedName = "a quoted name at its beginning"
	oddLineEnd = "a comment with a line end that isn't a line feed"
)

// writingWord is a word of a text that may change something, "" when there is none. Texts, comments and
// quoted names don't count. A batch may call a procedure by its name alone, so it has to begin with a
// word that reads.
func writingWord(text string) string {
	first := true
	for text != "" {
		switch {
		case strings.HasPrefix(text, "--"):
			var line string
			if line, text, _ = strings.Cut(text, "\n"); strings.ContainsAny(strings.TrimSuffix(line, "\r"), "\r\u0085\u2028\u2029") {
				return oddLineEnd
			}
		case strings.HasPrefix(text, "/*"):
			text = afterComment(text)
		case first && (text[0] == '"' || text[0] == '[' || text[0] == '\''):
			return quotedName
		case text[0] == '\'':
			text = afterQuoted(text, "'")
		case text[0] == '"':
			text = afterQuoted(text, `"`)
		case text[0] == '[':
			text = afterQuoted(text, "]")
		case isLetter(text[0]):
			n := 1
			for n < len(text) && (isLetter(text[n]) || text[n] >= '0' && text[n] <= '9') {
				n++
			}
			word := strings.ToUpper(text[:n])
			if writingWords[word] || first && word != "SELECT" && word != "WITH" && word != "DECLARE" && word != "SET" && word != "PRINT" {
				return word
			}
			first, text = false, text[n:]
		default:
			text = text[1:]
		}
	}
	return ""
}

// isLetter reports whether a byte may be part of a word. Bytes of other letters than those of ASCII
// may; variables and temporary tables have marks.
func isLetter(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b == '_' || b == '@' || b == '#' || b == '$' || b >= 0x80
}

// afterComment is the text behind a comment, which may hold others.
func afterComment(text string) string {
	depth := 0
	for text != "" {
		switch {
		case strings.HasPrefix(text, "/*"):
			depth, text = depth+1, text[2:]
		case strings.HasPrefix(text, "*/"):
			depth, text = depth-1, text[2:]
			if depth == 0 {
				return text
			}
		default:
			text = text[1:]
		}
	}
	return ""
}

// afterQuoted is the text behind a quoted part, in which the closing mark is written twice.
func afterQuoted(text, closing string) string {
	text = text[1:]
	for {
		_, after, found := strings.Cut(text, closing)
		if !found {
			return ""
		}
		if !strings.HasPrefix(after, closing) {
			return after
		}
		text = after[1:]
	}
}
