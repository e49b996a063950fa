package secret

import (
	"encoding/base64"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// A found is what looks like a credential, and why.
type found struct{ what, raw string }

var (
	// authorization is a header's value as people paste it.
	authorization = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(bearer|basic|token|apikey)[ :=]+([A-Za-z0-9._~+/=-]{8,})`)
	})
	absolute = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://[^\s"'<>\\\x60]+`)
	})
	// userAtHost is an address without a scheme, as GRPC has them.
	userAtHost = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[^\s/:@]+:([^\s/:@]+)@[A-Za-z0-9.-]+(?::\d+)?(?:/.*)?$`)
	})
)

// inValue looks at a text that stands under name.
func inValue(name, s string) []found {
	list := inText(s)
	if len(list) > 0 {
		return list
	}
	if strings.Contains(s, "@") {
		if m := userAtHost().FindStringSubmatch(s); m != nil {
			return []found{{"a password in an address", m[1]}}
		}
	}
	kind := kindOf(name)
	if kind < strong || isPlaceholder(s) || strings.Contains(s, "://") ||
		isSignature(name) || // anybody may see one; in an address it grants
		isPlain(s) && !(kind == password && isSlashed(s)) ||
		isHeader(name) && !isKey(s) ||
		isDigest(s) && !(isUUID(s) && isHolder(name, "token")) {
		return nil
	}
	random := isRandom(s) || isUUID(s) || len(s) >= 16 && oneWord().MatchString(s) && hasMixed(s) ||
		isLetters(s)
	if random || kind == password && isPassword(s) || isHolder(name) && isMadeUp(s) {
		return []found{{"a value under a name that speaks of secrets", s}}
	}
	return nil
}

// mostInOne is how many credentials of one text are told apart.
const mostInOne = 20

// inText looks at any text: its addresses, and tokens by their shape.
func inText(s string) []found {
	if len(s) < 8 {
		return nil
	}
	var list []found
	if strings.Contains(s, "://") {
		for _, u := range absolute().FindAllString(s, -1) {
			list = append(list, inURL(u)...)
		}
	}
	for i := range shapes() {
		list = append(list, shapes()[i].in(s)...)
	}
	if len(list) > mostInOne {
		return []found{{"many credentials", s}}
	}
	if len(list) > 0 {
		return outermost(list)
	}
	if !strings.ContainsAny(s, " :=") {
		return nil
	}
	for _, m := range authorization().FindAllStringSubmatch(s, -1) {
		if isBasic := strings.EqualFold(m[1], "basic"); isBasic && isUserPass(m[2]) || !isBasic && (isKey(m[2]) || isLetters(m[2])) {
			list = append(list, found{"a credential of an Authorization header", m[2]})
		}
	}
	return list
}

// isUserPass reports whether s is what stands behind Basic (RFC 7617): a name, a
// colon and a password, in base64.
func isUserPass(s string) bool {
	plain, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
	unseen := func(r rune) bool { return r < ' ' || r == utf8.RuneError }
	return err == nil && strings.Contains(string(plain), ":") && !strings.ContainsFunc(string(plain), unseen)
}

// outermost leaves out what is part of another one: a token in a query.
func outermost(list []found) []found {
	if len(list) == 1 {
		return list
	}
	var out []found
	for i, x := range list {
		inside := false
		for j, y := range list {
			inside = inside || i != j && strings.Contains(y.raw, x.raw) && (len(y.raw) > len(x.raw) || j < i)
		}
		if !inside {
			out = append(out, x)
		}
	}
	return out
}

// inURL looks at what stands before an @, and at parameters.
func inURL(u string) []found {
	scheme, rest, _ := strings.Cut(u, "://")
	rest, fragment, _ := strings.Cut(rest, "#")
	rest, query, _ := strings.Cut(rest, "?")
	authority, path, _ := strings.Cut(rest, "/")
	_, inPath, _ := strings.Cut(path, ";") // RFC 3986 3.3
	var list []found
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		user, pass, has := strings.Cut(authority[:i], ":")
		switch web := strings.HasPrefix(strings.ToLower(scheme), "http"); {
		case has && pass != "" && !isPlaceholder(pass):
			list = append(list, found{"a password in a URL", pass})
		case web && !has && user != "" && !isPlaceholder(user):
			list = append(list, found{"a user name in a URL", user})
		}
	}
	pairs := strings.NewReplacer(";", "&", "/", "&").Replace(inPath) + "&" + query + "&" + fragment
	for pair := range strings.SplitSeq(pairs, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if plain, err := url.QueryUnescape(name); err == nil {
			name = plain
		}
		plain, err := url.QueryUnescape(value)
		if err != nil {
			plain = value
		}
		if value == "" || isPlaceholder(plain) {
			continue
		}
		kind := kindOf(name)
		if kind >= strong && (!isWord(plain) || isHolder(name) && isShort(plain)) ||
			kind == weak && (isRandom(plain) || len(plain) >= 16 && isHexLetters(plain)) {
			list = append(list, found{"a credential in a URL", value})
		}
	}
	return list
}

// A kind is how much a member's or a parameter's name speaks of secrets.
type kind int

const (
	none     kind = iota
	weak          // may be one: key, code
	strong        // speaks of one: token, api_key
	password      // names one that people make up themselves
)

var kinds = map[kind]struct {
	inside, whole []string
}{
	password: {[]string{"passw", "passphrase"}, []string{"pwd", "pass"}},
	strong: {
		[]string{"token", "secret", "apikey", "accesskey", "privatekey", "subscriptionkey", "credential", "authorization", "bearer", "jwt", "cookie"},
		[]string{"sig", "signature", "xamzsignature", "auth", "hmac", "sas", "assertion"},
	},
	weak: {nil, []string{"key", "code", "session", "sessionid", "jsessionid", "phpsessid", "sid", "pin"}},
}

// harmless are words in names whose values only look like credentials.
var harmless = []string{"digest", "hash", "fingerprint", "thumbprint", "checksum", "commit", "public", "policy", "name", "url", "uri", "type", "kid"}

// about are words at the end of names that tell something of a secret, and do
// not hold it.
var about = []string{
	"less", "hint", "length", "rotation", "expiry", "expires", "lifetime", "ttl", "maxage", "format", "required", "supported", "limit",
	"alphabet", "charset",
}

// holders end the names of members that hold a credential, and tell nothing of it.
var holders = []string{
	"accesstoken", "authtoken", "apitoken", "bearertoken", "refreshtoken", "idtoken", "apikey", "accesskey", "secretkey", "secret",
}

// isHolder reports whether name ends as that of one, or is one of the whole ones.
func isHolder(name string, whole ...string) bool {
	name = strings.TrimSuffix(bare(name), "s")
	return slices.Contains(whole, name) || slices.ContainsFunc(holders, func(end string) bool { return strings.HasSuffix(name, end) })
}

// isHeader reports whether the value under name is that of a header's name.
func isHeader(name string) bool { return strings.HasSuffix(bare(name), "header") }

// isSignature reports whether the value under name proves something, and grants
// nothing.
func isSignature(name string) bool {
	name = strings.ToLower(name)
	return name == "sig" || strings.HasSuffix(name, "signature")
}

// bare is name in lower case, without what stands between its words.
func bare(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("_-. []", r) {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

func kindOf(name string) kind {
	if len(name) > 64 {
		return none // a sentence, or a pointer
	}
	name = bare(name)
	for _, word := range harmless {
		if strings.Contains(name, word) {
			return none
		}
	}
	for _, word := range about {
		if strings.HasSuffix(name, word) {
			return none
		}
	}
	for _, k := range []kind{password, strong, weak} {
		for _, word := range kinds[k].inside {
			if strings.Contains(name, word) {
				return k
			}
		}
		if slices.Contains(kinds[k].whole, name) {
			return k
		}
	}
	return none
}

// isPlaceholder reports whether s stands for a value that is elsewhere.
func isPlaceholder(s string) bool {
	return strings.HasPrefix(s, "$") || strings.HasPrefix(s, "{") || strings.HasPrefix(s, "<") || strings.HasPrefix(s, "%") ||
		strings.HasPrefix(s, "env:") || strings.EqualFold(s, "redacted") || strings.Trim(s, "*xX.…-_") == ""
}

var (
	digestLike = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?i:(?:sha(?:1|256|384|512)|md5)[:-].*|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?:[0-9a-f]{2}:){7,}[0-9a-f]{2})$`)
	})
	// plain is what members that speak of secrets hold and that grants nothing: the
	// name of a method, a duration, a ratio, a path.
	plain = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:(?i:oauth[12](?:\.[0-9])?|openid|(?:rs|es|hs|ps)(?:256|384|512)(?:k)?|ed(?:25519|448)|webauthn[0-9]?|fido2?|` +
			`bcrypt|argon2(?:id?)?|scrypt|pbkdf2|(?:hmac)?sha(?:1|256|384|512)|aes(?:128|192|256)(?:gcm|cbc)?|base(?:32|58|64)(?:url)?|rfc[0-9]+|a2a)|P[0-9YMWDTHS]+|[0-9]+(?:[.,][0-9]+)*(?:/[0-9]+(?:[.,][0-9]+)*|%)|\.{0,2}(?:/[A-Za-z0-9_.-]+)+/?)$`)
	})
	uuid = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?i:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$`)
	})
	oneWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[!-~]+$`) })
)

// isDigest reports whether s names its own kind: a digest, a UUID, a fingerprint.
func isDigest(s string) bool { return digestLike().MatchString(s) }

// isLetters reports whether s is a token without digits.
func isLetters(s string) bool { return len(s) >= 24 && isJumble(s) }

// isUUID reports whether s is one that may have been drawn: the nil UUID is none.
func isUUID(s string) bool { return uuid().MatchString(s) && entropy(s) >= 2 }

// isPlain reports whether s grants nothing, whatever the name above it.
func isPlain(s string) bool { return plain().MatchString(s) && !isKey(s) }

// isSlashed reports whether s is a password with a slash before it, and no path.
func isSlashed(s string) bool { return strings.LastIndexByte(s, '/') == 0 && hasMixed(s) }

// longestWord is longer than the words that stand in an address.
const longestWord = 20

// isWord reports whether the value of a parameter is none of a credential: a
// word in lower case, the name of a method, or too short to be one.
func isWord(s string) bool {
	return len(s) < 4 || isPlain(s) ||
		len(s) <= longestWord && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz-_.") == "" && (len(s) < 8 || !isHexLetters(s))
}

// isShort reports whether s is no word for all that it is short: hexadecimal, or
// letters and digits that are no version.
func isShort(s string) bool {
	return len(s) >= 3 && !isPlain(s) && (isHexLetters(s) || hasBoth(s)) && !numbered().MatchString(s)
}

// isHex reports whether s is of hexadecimal digits in lower case.
func isHex(s string) bool { return strings.Trim(s, "0123456789abcdef") == "" }

// isHexLetters reports whether s is of those that are letters.
func isHexLetters(s string) bool { return strings.Trim(s, "abcdef") == "" }

// hasBoth reports whether s has letters and digits.
func hasBoth(s string) bool {
	return strings.ContainsAny(s, "0123456789") && strings.ContainsAny(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz")
}

// isMadeUp reports whether s may be a person's password where names of methods,
// versions and durations stand too: one word that begins with a letter, and a
// digit in it.
func isMadeUp(s string) bool {
	return isPassword(s) && hasBoth(s) && !strings.ContainsAny(s, "-_./:") && (isMixed(s) || !isDigitAt(s, 0)) && !numbered().MatchString(s)
}

// isPassword reports whether s may be a password of a person's making: one word
// with something in it that words do not have.
func isPassword(s string) bool {
	return len(s) >= 6 && oneWord().MatchString(s) && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz-_./") != ""
}

// isRandom reports whether s is one word that nobody would make up: long, of
// letters and digits, and none of them often.
func isRandom(s string) bool {
	if len(s) < 16 || !oneWord().MatchString(s) || !hasBoth(s) || isDigest(s) {
		return false
	}
	return entropy(s) >= 3
}

// entropy is Shannon's, in bits a byte.
func entropy(s string) float64 {
	var count [256]int
	for i := range len(s) {
		count[s[i]]++
	}
	bits := 0.0
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(s))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}
