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
	// body is what must be seen in what stands behind the prefix, where the pattern
	// also fits names; nil asks for no more.
	body func(string) bool
}

// issuers are the shapes by what they are, the texts of which one is in each,
// and the form. A prefix that also begins words says what its body has to look
// like.
var issuers = []struct {
	what, hints, pattern string
	body                 func(string) bool
}{
	{"a private key", "PRIVATE", `-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----`, nil},
	{"an age key", "AGE-SECRET-KEY-", `\bAGE-SECRET-KEY-(?:PQ-)?1[02-9AC-HJ-NP-Z]{50,}`, nil},
	{"a JSON web token", "eyJ", `\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*\.[A-Za-z0-9_.-]*`, isJOSE},

	// Clouds.
	{"an AWS key", "AKIA ASIA ABIA ACCA", `\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b`, nil},
	{"an AWS token", "ABSK IQoJb3JpZ2lu", `\bABSK[A-Za-z0-9+/]{80,}|\bIQoJb3JpZ2lu[A-Za-z0-9+/]{60,}`, nil},
	{"a Google API key", "AIza", `\bAIza[0-9A-Za-z_-]{30,}`, nil},
	{"a Google secret", "GOCSPX- ya29. 1//0", `\bGOCSPX-[0-9A-Za-z_-]{20,}|\bya29\.[0-9A-Za-z_-]{20,}|\b1//0[0-9A-Za-z_-]{20,}`, hasMixed},
	{"an Azure key", "Key=", `\b(?:Account|SharedAccess)Key=[A-Za-z0-9+/]{40,}={0,2}`, nil},
	{"an Azure secret", "Q~", `\b[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,}`, nil},
	{"a DigitalOcean token", "_v1_", `\bdo[opr]_v1_[0-9a-f]{64}`, nil},
	{"a Databricks token", "dapi", `\bdapi[0-9a-f]{32}(?:-[0-9])?\b`, nil},
	{"a Supabase token", "sbp_", `\bsbp_[0-9a-f]{40}`, nil},
	{"a Heroku key", "HRKU-", `\bHRKU-[A-Za-z0-9_-]{30,}`, hasMixed},
	{"a Fly token", "fo1_ fm2_", `\bfo1_[A-Za-z0-9_-]{40,}|\bfm2_[A-Za-z0-9+/]{80,}`, hasMixed},

	// Where secrets are kept, and programs are built.
	{"a Vault token", "hvs. hvb. hvr.", `\bhv[sbr]\.[A-Za-z0-9_-]{20,}`, hasMixed},
	{"a Terraform token", ".atlasv1.", `\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{40,}`, nil},
	{"a Doppler token", "dp.", `\bdp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]+\.)?[A-Za-z0-9]{40,}`, nil},
	{"a Pulumi token", "pul-", `\bpul-[0-9a-f]{40}`, nil},
	{"a Docker token", "dckr_", `\bdckr_[op]at_[A-Za-z0-9_-]{20,}`, hasMixed},
	{"a GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", `\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9]{20,}(?:_[A-Za-z0-9]+)?`, nil},
	{"a GitLab token", "gl", `\bgl(?:pat|ptt|dt|rt|rtr|soat|cbt|ft|imt|agent|oas|ffct|wt)-[A-Za-z0-9_.-]{16,}`, hasMixed},
	{"a Bitbucket token", "ATBB", `\bATBB[A-Za-z0-9]{28,}`, nil},
	{"an Atlassian token", "TT3x", `\bAT[ACS]TT3x[A-Za-z0-9_=-]{20,}`, nil},
	{"an npm token", "npm_", `\bnpm_[A-Za-z0-9]{30,}`, nil},
	{"a PyPI token", "pypi-AgE", `\bpypi-AgE[A-Za-z0-9_-]{40,}`, nil},
	{"a RubyGems key", "rubygems_", `\brubygems_[0-9a-f]{48}`, nil},
	{"a crates.io token", "cio", `\bcio[A-Za-z0-9]{32}\b`, hasMixed},
	{"a Sentry token", "sntry", `\bsntry[su]_[A-Za-z0-9+/=_]{40,}`, nil},
	{"a Grafana token", "glsa_ glc_", `\bglsa_[A-Za-z0-9]{32}_[0-9a-f]{8}|\bglc_eyJ[A-Za-z0-9+/]{30,}`, nil},
	{"a New Relic key", "NRAK-", `\bNRAK-[A-Z0-9]{27}`, nil},
	{"a Postman key", "PMAK-", `\bPMAK-[0-9a-f]{24}-[0-9a-f]{34}`, nil},
	{"a Tailscale key", "tskey-", `\btskey-[a-z]+-[A-Za-z0-9]{8,}-[A-Za-z0-9]{16,}`, nil},
	{"a PlanetScale token", "pscale_", `\bpscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{30,}`, hasMixed},

	// Models.
	{"an API key", "sk-", `\bsk-[A-Za-z0-9_-]{20,}`, isKey},
	{"a Groq key", "gsk_", `\bgsk_[A-Za-z0-9]{40,}`, nil},
	{"an xAI key", "xai-", `\bxai-[A-Za-z0-9]{60,}`, nil},
	{"a Perplexity key", "pplx-", `\bpplx-[A-Za-z0-9]{40,}`, nil},
	{"a Replicate token", "r8_", `\br8_[A-Za-z0-9]{37}\b`, nil},
	{"a Hugging Face token", "hf_", `\bhf_[A-Za-z0-9]{30,}`, nil},

	// Messages, shops and the rest.
	{"a Slack token", "xox xapp-", `\bxox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{8,}|\bxapp-[0-9]-[A-Za-z0-9-]{8,}`, nil},
	{"a Slack webhook", "hooks.slack.com", `\bhooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{16,}`, nil},
	{"a Discord webhook", "/api/webhooks/", `\bdiscord(?:app)?\.com/api/webhooks/[0-9]{16,}/[A-Za-z0-9_-]{40,}`, nil},
	{"a Telegram token", ":AA", `\b[0-9]{8,12}:AA[A-Za-z0-9_-]{32,34}`, nil},
	{"a Twilio key", "SK", `\bSK[0-9a-f]{32}\b`, nil},
	{"a SendGrid key", "SG.", `\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`, nil},
	{"a Mailgun key", "key-", `\bkey-[0-9a-f]{32}\b`, nil},
	{"a Stripe key", "_live_ _test_ whsec_", `\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}|\bwhsec_[A-Za-z0-9+/=]{16,}`, hasMixed},
	{"a Shopify token", "shp", `\bshp(?:at|ca|pa|ss|tka|ua)_[0-9A-Fa-f]{32}`, nil},
	{"a Linear key", "lin_", `\blin_(?:api|oauth)_[A-Za-z0-9]{32,}`, nil},
	{"a Notion token", "ntn_", `\bntn_[0-9]{8,}[A-Za-z0-9]{30,}`, nil},
	{"an Airtable token", "pat", `\bpat[A-Za-z0-9]{14}\.[0-9a-f]{64}`, nil},
	{"a Figma token", "figd_", `\bfigd_[A-Za-z0-9_-]{30,}`, hasMixed},
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

// isMixed reports whether one word has letters and digits so that no one reads
// it: more than a name with a number behind it, "v2" or "b2c".
func isMixed(run string) bool {
	turns := 0
	for i := 1; i < len(run); i++ {
		if isDigitAt(run, i) != isDigitAt(run, i-1) {
			turns++
		}
	}
	return len(run) >= 6 && turns >= 2
}

func isDigitAt(s string, i int) bool { return '0' <= s[i] && s[i] <= '9' }

// hasMixed reports whether a word of s is none: what a prefix that no name begins
// with has to have behind it.
func hasMixed(s string) bool {
	return slices.ContainsFunc(runs(s), isMixed)
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
