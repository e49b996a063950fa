package triples_test

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

// memberRules names for each member of the 1.0 Agent Card a triple that changes
// it, and the rule that reports the change there.
var memberRules = map[string]struct{ triple, rule string }{
	"name":        {"identity-renamed", "agent-renamed"},
	"description": {"text-description", "text-changed"},
	"version":     {"identity-version-up", "agent-version-changed"},

	"provider.organization": {"identity-provider-organization", "provider-changed"},
	"provider.url":          {"identity-provider-host", "provider-changed"},

	"supportedInterfaces[].url":             {"interface-host", "interface-origin-changed"},
	"supportedInterfaces[].protocolBinding": {"interface-custom-binding-with-a-fallback", "interface-dropped"},
	"supportedInterfaces[].protocolVersion": {"interface-version-moves", "interface-dropped"},
	"supportedInterfaces[].tenant":          {"interface-tenant-came", "interface-tenant-changed"},

	"capabilities.streaming":             {"capability-streaming-off", "streaming-lost"},
	"capabilities.pushNotifications":     {"capability-push-off", "push-lost"},
	"capabilities.extendedAgentCard":     {"capability-extended-off", "extended-card-lost"},
	"capabilities.extensions[].uri":      {"extension-version-moves", "extension-version-moved"},
	"capabilities.extensions[].required": {"extension-becomes-required", "extension-required-unknown"},
	"capabilities.extensions[].params":   {"extension-params-of-required-by-lock", "extension-params-changed"},

	"defaultInputModes":  {"mode-input-narrowed", "input-narrowed"},
	"defaultOutputModes": {"mode-output-narrowed", "output-narrowed"},

	"securityRequirements[].schemes{}":      {"security-replaced", "security-unsatisfiable"},
	"securityRequirements[].schemes{}.list": {"security-scope-added", "scope-required"},

	"securitySchemes{}": {"security-undeclared", "security-unreadable"},

	"securitySchemes{}.apiKeySecurityScheme.location": {"scheme-place", "scheme-changed"},
	"securitySchemes{}.apiKeySecurityScheme.name":     {"scheme-parameter", "scheme-changed"},
	"securitySchemes{}.httpAuthSecurityScheme.scheme": {"scheme-http", "scheme-changed"},

	"securitySchemes{}.openIdConnectSecurityScheme.openIdConnectUrl": {"scheme-oidc-origin", "scheme-endpoint-origin-changed"},
	"securitySchemes{}.oauth2SecurityScheme.oauth2MetadataUrl":       {"scheme-metadata-url", "scheme-endpoint-origin-changed"},

	flowsMember + "authorizationCode.authorizationUrl": {"scheme-authorization-url", "scheme-endpoint-origin-changed"},
	flowsMember + "authorizationCode.tokenUrl":         {"scheme-code-token-url", "scheme-endpoint-changed"},
	flowsMember + "authorizationCode.refreshUrl":       {"scheme-code-refresh-url", "scheme-endpoint-changed"},
	flowsMember + "authorizationCode.pkceRequired":     {"document-pkce-required", "change-unclassified"},
	flowsMember + "clientCredentials.tokenUrl":         {"scheme-token-origin", "scheme-endpoint-origin-changed"},
	flowsMember + "clientCredentials.refreshUrl":       {"scheme-refresh-url", "scheme-endpoint-origin-changed"},
	flowsMember + "implicit.authorizationUrl":          {"scheme-implicit-url", "scheme-endpoint-changed"},
	flowsMember + "implicit.refreshUrl":                {"scheme-implicit-url", "scheme-endpoint-origin-changed"},
	flowsMember + "password.tokenUrl":                  {"scheme-password-url", "scheme-endpoint-origin-changed"},
	flowsMember + "password.refreshUrl":                {"scheme-password-url", "scheme-endpoint-changed"},
	flowsMember + "deviceCode.deviceAuthorizationUrl":  {"scheme-device-urls", "scheme-endpoint-changed"},
	flowsMember + "deviceCode.tokenUrl":                {"scheme-device-urls", "scheme-endpoint-origin-changed"},
	flowsMember + "deviceCode.refreshUrl":              {"scheme-device-refresh-url", "scheme-endpoint-changed"},

	"skills[].id":          {"skill-renamed", "skill-removed"},
	"skills[].name":        {"text-skill", "text-changed"},
	"skills[].description": {"text-skill", "text-changed"},
	"skills[].tags":        {"text-skill", "text-changed"},
	"skills[].examples":    {"text-skill", "text-changed"},
	"skills[].inputModes":  {"blind-narrower-override", "input-narrowed"},
	"skills[].outputModes": {"mode-output-lost", "output-lost"},

	"skills[].securityRequirements[].schemes{}":      {"security-skill-overrides", "security-unsatisfiable"},
	"skills[].securityRequirements[].schemes{}.list": {"security-scope-of-skill", "scope-required"},
}

const flowsMember = "securitySchemes{}.oauth2SecurityScheme.flows."

// memberUnseen says of each other member why it may change unseen, and names a
// triple in which it does: nothing is said of it but that the content changed.
var memberUnseen = map[string]struct{ triple, reason string }{
	"iconUrl":          {"innocent-icon", "never fetched; no call depends on it"},
	"documentationUrl": {"innocent-documentation", "never fetched; no call depends on it"},

	"capabilities.extensions[].description": {"innocent-extension-description", "for people; the URI is what an extension is"},

	"securitySchemes{}.apiKeySecurityScheme.description":        {"innocent-scheme-descriptions", "for people; the definition counts"},
	"securitySchemes{}.oauth2SecurityScheme.description":        {"innocent-scheme-descriptions", "for people; the definition counts"},
	"securitySchemes{}.mtlsSecurityScheme.description":          {"innocent-scheme-descriptions", "for people; the definition counts"},
	"securitySchemes{}.httpAuthSecurityScheme.description":      {"innocent-bearer-format", "for people; the definition counts"},
	"securitySchemes{}.openIdConnectSecurityScheme.description": {"scheme-oidc-description", "for people; the definition counts"},
	"securitySchemes{}.httpAuthSecurityScheme.bearerFormat":     {"innocent-bearer-format", "a hint (A2A 4.5.3)"},

	flowsMember + "authorizationCode.scopes": {"scheme-scopes-offered", "what could be asked for; what is asked for has rules"},
	flowsMember + "clientCredentials.scopes": {"innocent-scope-offered", "what could be asked for; what is asked for has rules"},
	flowsMember + "deviceCode.scopes":        {"scheme-scopes-offered-to-devices", "what could be asked for; what is asked for has rules"},
	flowsMember + "implicit.scopes":          {"scheme-scopes-offered-to-old-clients", "what could be asked for; what is asked for has rules"},
	flowsMember + "password.scopes":          {"scheme-scopes-offered-to-users", "what could be asked for; what is asked for has rules"},

	"signatures[].protected": {"innocent-signatures-renewed", "outside of the digest; no key is enrolled"},
	"signatures[].signature": {"innocent-signatures-renewed", "outside of the digest; no key is enrolled"},
	"signatures[].header":    {"innocent-signatures-renewed", "outside of the digest; no key is enrolled"},
}

// Every member of the 1.0 Agent Card is named by a rule, or by a line that says
// why it may change unseen. The members are those of the official SDK.
func TestTriplesCoverEveryMember(t *testing.T) {
	members := cardMembers(reflect.TypeFor[a2a.AgentCard](), "")
	const least = 55 // of 1.0; the walk must not end early
	if len(members) < least {
		t.Fatalf("%d members found, want at least %d: %q", len(members), least, members)
	}
	byName := map[string]*triple{}
	for _, tr := range readTriples(t) {
		byName[tr.name] = tr
	}
	for _, m := range members {
		ruled, hasRule := memberRules[m]
		unseen, hasReason := memberUnseen[m]
		switch {
		case hasRule && hasReason:
			t.Errorf("%s: has a rule, and a reason to have none", m)
		case hasRule:
			tr := changing(t, byName[ruled.triple], m, ruled.triple)
			if tr != nil && !slices.ContainsFunc(tr.want.findings, func(f tripleFinding) bool { return f.rule == ruled.rule }) {
				t.Errorf("%s: %s does not want %s", m, tr.name, ruled.rule)
			}
		case hasReason:
			tr := changing(t, byName[unseen.triple], m, unseen.triple)
			if tr != nil && slices.ContainsFunc(tr.want.findings, func(f tripleFinding) bool { return f.rule != "card-changed" }) {
				t.Errorf("%s: may change unseen (%s), and %s wants %v", m, unseen.reason, tr.name, tr.want.findings)
			}
		default:
			t.Errorf("%s: no triple and rule for its change; write them, or a line in memberUnseen", m)
		}
	}
	for _, m := range slices.Concat(slices.Collect(maps.Keys(memberRules)), slices.Collect(maps.Keys(memberUnseen))) {
		if !slices.Contains(members, m) {
			t.Errorf("%s is no member of an Agent Card", m)
		}
	}
}

// changing returns tr if its cards differ in the member.
func changing(t *testing.T, tr *triple, member, name string) *triple {
	t.Helper()
	if tr == nil {
		t.Errorf("%s: there is no triple %s", member, name)
		return nil
	}
	p := tr.pair(t)
	was, err := tripleJSON(string(p.was))
	if err != nil {
		t.Fatal(err)
	}
	now, err := tripleJSON(string(p.came))
	if err != nil {
		t.Fatal(err)
	}
	changed := map[string]bool{}
	changedMembers(was, now, "", changed)
	if !changed[member] {
		t.Errorf("%s: %s changes %q only", member, name, slices.Sorted(maps.Keys(changed)))
		return nil
	}
	return tr
}

// keyed are the members that are maps by a name of the card's own; opaque
// those that are compared as a whole.
var (
	keyedMembers  = []string{"securitySchemes", "schemes"}
	opaqueMembers = []string{"scopes", "params", "header"}
)

// changedMembers notes the members in which two values differ, in the form of
// cardMembers. Lists of objects are compared place by place.
func changedMembers(was, now any, at string, changed map[string]bool) {
	if reflect.DeepEqual(was, now) {
		return
	}
	name := at[strings.LastIndexByte(at, '.')+1:]
	a, ok := was.(map[string]any)
	b, ok2 := now.(map[string]any)
	if (ok || ok2) && (ok || was == nil) && (ok2 || now == nil) && !slices.Contains(opaqueMembers, name) {
		keyed := slices.Contains(keyedMembers, name)
		for key := range union(a, b) {
			inner := strings.TrimPrefix(at+"."+key, ".")
			if keyed {
				inner = at + "{}"
				_, had := a[key]
				_, has := b[key]
				if had != has {
					changed[inner] = true
				}
			}
			changedMembers(a[key], b[key], inner, changed)
		}
		return
	}
	x, ok := was.([]any)
	y, ok2 := now.([]any)
	if (ok || ok2) && (objects(x) || objects(y)) {
		for i := range max(len(x), len(y)) {
			var before, after any
			if i < len(x) {
				before = x[i]
			}
			if i < len(y) {
				after = y[i]
			}
			changedMembers(before, after, at+"[]", changed)
		}
		return
	}
	changed[at] = true
}

func union(a, b map[string]any) map[string]bool {
	keys := map[string]bool{}
	for k := range a {
		keys[k] = true
	}
	for k := range b {
		keys[k] = true
	}
	return keys
}

func objects(list []any) bool {
	if len(list) == 0 {
		return false
	}
	_, ok := list[0].(map[string]any)
	return ok
}

// The kinds that the SDK keeps behind an interface, by the member that they are
// written in.
var (
	schemeKinds = map[string]reflect.Type{
		"apiKeySecurityScheme":        reflect.TypeFor[a2a.APIKeySecurityScheme](),
		"httpAuthSecurityScheme":      reflect.TypeFor[a2a.HTTPAuthSecurityScheme](),
		"mtlsSecurityScheme":          reflect.TypeFor[a2a.MutualTLSSecurityScheme](),
		"oauth2SecurityScheme":        reflect.TypeFor[a2a.OAuth2SecurityScheme](),
		"openIdConnectSecurityScheme": reflect.TypeFor[a2a.OpenIDConnectSecurityScheme](),
	}
	flowKinds = map[string]reflect.Type{
		"authorizationCode": reflect.TypeFor[a2a.AuthorizationCodeOAuthFlow](),
		"clientCredentials": reflect.TypeFor[a2a.ClientCredentialsOAuthFlow](),
		"deviceCode":        reflect.TypeFor[a2a.DeviceCodeOAuthFlow](),
		"implicit":          reflect.TypeFor[a2a.ImplicitOAuthFlow](),
		"password":          reflect.TypeFor[a2a.PasswordOAuthFlow](),
	}
)

// cardMembers lists the members below a type of the SDK by their JSON names:
// "[]" is an item of a list, "{}" an entry of a map.
func cardMembers(typ reflect.Type, at string) []string {
	switch typ {
	case reflect.TypeFor[a2a.SecurityRequirementsOptions](): // it writes itself
		return []string{at + "[].schemes{}", at + "[].schemes{}.list"}
	case reflect.TypeFor[a2a.NamedSecuritySchemes]():
		return append([]string{at + "{}"}, kindMembers(schemeKinds, at+"{}.")...)
	case reflect.TypeFor[a2a.OAuthFlows]():
		return kindMembers(flowKinds, at+".")
	}
	switch typ.Kind() {
	case reflect.Pointer:
		return cardMembers(typ.Elem(), at)
	case reflect.Slice:
		if elem := typ.Elem(); elem.Kind() == reflect.Struct || elem.Kind() == reflect.Pointer {
			return cardMembers(elem, at+"[]")
		}
	case reflect.Struct:
		var list []string
		for f := range typ.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" || name == "-" {
				continue
			}
			list = append(list, cardMembers(f.Type, strings.TrimPrefix(at+"."+name, "."))...)
		}
		return list
	}
	return []string{at}
}

func kindMembers(kinds map[string]reflect.Type, at string) []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		list = append(list, cardMembers(kinds[name], at+name)...)
	}
	return list
}
