package secret

import (
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A shape is that of the tokens of one issuer.
type shape struct {
	what    string
	hints   []string // texts without any of them are not looked at closer
	pattern *regexp.Regexp
	// body is what must be seen in the whole, where the pattern also fits names; nil
	// asks for no more: the pattern itself wants a digest or a number.
	body func(string) bool
}

// issuers are the shapes by what they are, the texts of which one is in each,
// and the form. Any prefix may begin a name, so that the body has to have a mix
// that words lack.
var issuers = []struct {
	what, hints, pattern string
	body                 func(string) bool
}{
	{"a private key", "PRIVATE", `-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----`, nil},
	{"an age key", "AGE-SECRET-KEY-", `\bAGE-SECRET-KEY-(?:PQ-)?1[02-9AC-HJ-NP-Z]{50,}`, nil},
	{"a JSON web token", "eyJ", `\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*\.[A-Za-z0-9_.-]*`, isJOSE},

	// Clouds.
	{"an AWS key", "AKIA ASIA ABIA ACCA", `\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b`, isAWS},
	{"an AWS token", "ABSK IQoJb3JpZ2lu", `\bABSK[A-Za-z0-9+/]{80,}|\bIQoJb3JpZ2lu[A-Za-z0-9+/]{60,}`, hasMix},
	{"a Google API key", "AIza", `\bAIza[0-9A-Za-z_-]{30,}`, hasMix},
	{"a Google secret", "GOCSPX- ya29. 1//0", `\bGOCSPX-[0-9A-Za-z_-]{20,}|\bya29\.[0-9A-Za-z_-]{20,}|\b1//0[0-9A-Za-z_-]{20,}`, hasMix},
	{"an Azure key", "Key=", `\b(?:Account|SharedAccess)Key=[A-Za-z0-9+/]{40,}={0,2}`, hasMix},
	{"an Azure secret", "Q~", `\b[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,}`, hasMix},
	{"a DigitalOcean token", "_v1_", `\bdo[opr]_v1_[0-9a-f]{64}`, nil},
	{"a Databricks token", "dapi", `\bdapi[0-9a-f]{32}(?:-[0-9])?\b`, nil},
	{"a Supabase token", "sbp_", `\bsbp_[0-9a-f]{40}`, nil},
	{"a Heroku key", "HRKU-", `\bHRKU-[A-Za-z0-9_-]{30,}`, hasMix},
	{"a Fly token", "fo1_ fm2_", `\bfo1_[A-Za-z0-9_-]{40,}|\bfm2_[A-Za-z0-9+/]{80,}`, hasMix},

	// Where secrets are kept, and programs are built.
	{"a Vault token", "hvs. hvb. hvr.", `\bhv[sbr]\.[A-Za-z0-9_-]{20,}`, hasMix},
	{"a Terraform token", ".atlasv1.", `\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{40,}`, hasMix},
	{"a Doppler token", "dp.", `\bdp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]+\.)?[A-Za-z0-9]{40,}`, hasMix},
	{"a Pulumi token", "pul-", `\bpul-[0-9a-f]{40}`, nil},
	{"a Docker token", "dckr_", `\bdckr_[op]at_[A-Za-z0-9_-]{20,}`, hasMix},
	{"a GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", `\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9]{20,}(?:_[A-Za-z0-9]+)?`, hasMix},
	{"a GitLab token", "gl", `\bgl(?:pat|ptt|dt|rt|rtr|soat|cbt|ft|imt|agent|oas|ffct|wt)-[A-Za-z0-9_.-]{16,}`, hasMix},
	{"a Bitbucket token", "ATBB", `\bATBB[A-Za-z0-9]{28,}`, hasMix},
	{"an Atlassian token", "TT3x", `\bAT[ACS]TT3x[A-Za-z0-9_=-]{20,}`, hasMix},
	{"an npm token", "npm_", `\bnpm_[A-Za-z0-9]{30,}`, hasMix},
	{"a PyPI token", "pypi-AgE", `\bpypi-AgE[A-Za-z0-9_-]{40,}`, hasMix},
	{"a RubyGems key", "rubygems_", `\brubygems_[0-9a-f]{48}`, nil},
	{"a crates.io token", "cio", `\bcio[A-Za-z0-9]{32}\b`, hasMix},
	{"a Sentry token", "sntry", `\bsntry[su]_[A-Za-z0-9+/=_]{40,}`, hasMix},
	{"a Grafana token", "glsa_ glc_", `\bglsa_[A-Za-z0-9]{32}_[0-9a-f]{8}|\bglc_eyJ[A-Za-z0-9+/]{30,}`, hasMix},
	{"a New Relic key", "NRAK-", `\bNRAK-[A-Z0-9]{27}`, hasMix},
	{"a Postman key", "PMAK-", `\bPMAK-[0-9a-f]{24}-[0-9a-f]{34}`, nil},
	{"a Tailscale key", "tskey-", `\btskey-[a-z]+-[A-Za-z0-9]{8,}-[A-Za-z0-9]{16,}`, hasMix},
	{"a PlanetScale token", "pscale_", `\bpscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{30,}`, hasMix},

	// Models.
	{"an API key", "sk-", `\bsk-[A-Za-z0-9_-]{20,}`, isModelKey},
	{"a Groq key", "gsk_", `\bgsk_[A-Za-z0-9]{40,}`, hasMix},
	{"an xAI key", "xai-", `\bxai-[A-Za-z0-9]{60,}`, hasMix},
	{"a Perplexity key", "pplx-", `\bpplx-[A-Za-z0-9]{40,}`, hasMix},
	{"a Replicate token", "r8_", `\br8_[A-Za-z0-9]{37}\b`, hasMix},
	{"a Hugging Face token", "hf_", `\bhf_[A-Za-z0-9]{30,}`, hasMix},

	// Messages, shops and the rest.
	{"a Slack token", "xox xapp-", `\bxox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{8,}|\bxapp-[0-9]-[A-Za-z0-9-]{8,}`, isSlack},
	{"a Slack webhook", "hooks.slack.com", `\bhooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{16,}`, hasMix},
	{"a Discord webhook", "/api/webhooks/", `\bdiscord(?:app)?\.com/api/webhooks/[0-9]{16,}/[A-Za-z0-9_-]{40,}`, nil},
	{"a Telegram token", ":AA", `\b[0-9]{8,12}:AA[A-Za-z0-9_-]{32,34}`, hasMix},
	{"a Twilio key", "SK", `\bSK[0-9a-f]{32}\b`, nil},
	{"a SendGrid key", "SG.", `\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`, hasMix},
	{"a Mailgun key", "key-", `\bkey-[0-9a-f]{32}\b`, nil},
	{"a Stripe key", "_live_ _test_ whsec_", `\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}|\bwhsec_[A-Za-z0-9+/=]{16,}`, hasMix},
	{"a Shopify token", "shp", `\bshp(?:at|ca|pa|ss|tka|ua)_[0-9A-Fa-f]{32}`, nil},
	{"a Linear key", "lin_", `\blin_(?:api|oauth)_[A-Za-z0-9]{32,}`, hasMix},
	{"a Notion token", "ntn_", `\bntn_[0-9]{8,}[A-Za-z0-9]{30,}`, hasMix},
	{"an Airtable token", "pat", `\bpat[A-Za-z0-9]{14}\.[0-9a-f]{64}`, nil},
	{"a Figma token", "figd_", `\bfigd_[A-Za-z0-9_-]{30,}`, hasMix},
}

var shapes = sync.OnceValue(func() []shape {
	out := make([]shape, len(issuers))
	for i, s := range issuers {
		out[i] = shape{s.what, strings.Fields(s.hints), regexp.MustCompile(s.pattern), s.body}
	}
	return out
})

// in returns the tokens of the shape in s.
func (p *shape) in(s string) []found {
	for _, hint := range p.hints {
		if !strings.Contains(s, hint) {
			continue
		}
		var list []found
		for _, raw := range p.pattern.FindAllString(s, -1) {
			if p.body == nil || p.body(raw) {
				list = append(list, found{p.what, raw})
			}
		}
		return list
	}
	return nil
}

// isJOSE reports whether s begins as a token of RFC 7515 or RFC 7516 does: with
// an object that names its algorithm.
func isJOSE(s string) bool {
	head, _, _ := strings.Cut(s, ".")
	plain, err := base64.RawURLEncoding.DecodeString(head)
	return err == nil && strings.Contains(string(plain), `"alg"`)
}

// runs are the parts of s between the characters that names have between words.
func runs(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("-_.~", r) })
}

// numbered are words that have a digit in them, versions and moments.
var numbered = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)a2a|b2[bceg]|c2[bc]|p2p|o2o|k8s|i18n|l10n|oauth2|sha256|base64|utf8|x509|ec2|\b(?:api|k)?v[0-9]+|\b20[0-9]{6}T[0-9]{4,6}Z?`)
})

// isMixed reports whether one word has letters and digits so that no one reads
// it: more than a name with a number behind it, "v2" or "b2c".
func isMixed(run string) bool {
	if len(run) < 6 {
		return false
	}
	run = numbered().ReplaceAllString(run, "")
	turns := 0
	for i := 1; i < len(run); i++ {
		if isDigitAt(run, i) != isDigitAt(run, i-1) {
			turns++
		}
	}
	return turns >= 2
}

func isDigitAt(s string, i int) bool { return '0' <= s[i] && s[i] <= '9' }

// hasMixed reports whether a word of s is none for its digits.
func hasMixed(s string) bool {
	return slices.ContainsFunc(runs(s), isMixed)
}

// hasMix reports whether a word of s is none: what an issuer's prefix has to have
// behind it.
func hasMix(s string) bool {
	return slices.ContainsFunc(runs(s), func(run string) bool { return isMixed(run) || len(run) >= 20 && isJumble(run) })
}

// isAWS asks for a digit that numbers no name, or for letters that are no words.
func isAWS(s string) bool {
	body := s[len("AKIA") : len(s)-1]
	return strings.ContainsAny(body, "234567") || isJumble(body)
}

// isSlack asks for what hasMix does, or the number of a workspace.
func isSlack(s string) bool {
	return hasMix(s) || slices.ContainsFunc(runs(s), func(run string) bool { return len(run) >= 10 && strings.Trim(run, "0123456789") == "" })
}

// isModelKey is isKey with enough in mixed words that it is not a name with a
// short digest behind it.
func isModelKey(s string) bool {
	mixed := 0
	for _, run := range runs(s) {
		if isMixed(run) {
			mixed += len(run)
		}
	}
	return mixed >= 20 && isKey(s)
}

// isJumble reports whether s is letters alone, and no words run together: with
// few vowels, many consonants in a row, or capitals within words.
func isJumble(s string) bool {
	vowels, capitals := 0, 0
	row, longest, small := 0, 0, 0 // consonants, and letters in lower case, up to here
	for i := range len(s) {
		isLower := 'a' <= s[i] && s[i] <= 'z'
		if !isLower && (s[i] < 'A' || s[i] > 'Z') {
			return false
		}
		if row++; strings.IndexByte("aeiouyAEIOUY", s[i]) >= 0 {
			row = 0
		}
		if strings.IndexByte("aeiouAEIOU", s[i]) >= 0 {
			vowels++
		}
		longest = max(longest, row)
		if isLower {
			small++
			continue
		}
		if small == 1 && i > 1 {
			capitals++
		}
		small = 0
	}
	return entropy(s) >= 3 && (4*vowels < len(s) || longest >= 7 || capitals >= 2)
}

// isKey reports whether s looks random where it may as well be a name of several
// words: one of its words does, or most of it stands in words that are none.
func isKey(s string) bool {
	if !isRandom(s) {
		return false
	}
	all, mixed := 0, 0
	for _, run := range runs(s) {
		if isRandom(run) {
			return true
		}
		all += len(run)
		if isMixed(run) {
			mixed += len(run)
		}
	}
	return 3*mixed >= 2*all
}

// fitsID reports whether x may as well be an id: a word for a key with a digest
// behind it.
func fitsID(x found) bool {
	switch x.what {
	case "a Twilio key", "a Mailgun key":
		return true
	case "an API key":
		return !slices.ContainsFunc(runs(x.raw), func(run string) bool { return isMixed(run) && !isHex(run) })
	}
	return false
}
