package laws_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// A witness is an agent that does what its card says and no more. It reads the
// card's JSON itself, so that it knows nothing of how a2alock reads one. Where
// the card leaves something open (no media types anywhere) it takes anything.
type witness struct {
	doors           []door
	streaming, push bool
	extensions      map[string]bool // URI: whether every call must bring it
	skills          map[string][]served
}

// A door is an address at which the witness answers.
type door struct{ url, binding, version, tenant string }

// A served is one skill as it is served, everything inherited.
type served struct {
	broken        bool // nobody knows what it takes
	input, output []string
	ways          []way // never empty
}

// A way is one alternative of a requirement list.
type way struct {
	asks    map[string]asked // by scheme name
	unknown bool             // nobody can tell what it asks for
}

type asked struct {
	credential
	scopes []string
}

// A credential is what a scheme takes: what is presented, where, and where it
// comes from.
type credential struct {
	kind, place, name string
	grants            []string
	origins           map[string]string // where secrets go to get or renew one, by what for
	urls              string            // the same, to the letter
	unknown           bool
}

type fields = map[string]any

// newWitness reads a card.
func newWitness(body []byte) (*witness, error) {
	var doc fields
	if err := json.Unmarshal(body, &doc); err != nil {
		return nil, err
	}
	camel(doc)
	w := &witness{extensions: map[string]bool{}, skills: map[string][]served{}}
	w.readDoors(doc)
	flags, _ := doc["capabilities"].(fields)
	w.streaming, w.push = flags["streaming"] == true, flags["pushNotifications"] == true
	for _, x := range items(flags["extensions"]) {
		if m, ok := x.(fields); ok && word(m["uri"]) != "" {
			uri := word(m["uri"])
			w.extensions[uri] = w.extensions[uri] || m["required"] == true
		}
	}
	schemes := readSchemes(doc["securitySchemes"])
	inherited := readWays(schemes, doc["securityRequirements"], doc["security"])
	for _, x := range items(doc["skills"]) {
		m, ok := x.(fields)
		if !ok || word(m["id"]) == "" {
			continue
		}
		s := served{ways: readWays(schemes, m["securityRequirements"], m["security"])}
		if s.ways == nil {
			s.ways = inherited
		}
		if s.ways == nil {
			s.ways = []way{{}}
		}
		s.input, s.broken = readModes(m["inputModes"], doc["defaultInputModes"], s.broken)
		s.output, s.broken = readModes(m["outputModes"], doc["defaultOutputModes"], s.broken)
		w.skills[word(m["id"])] = append(w.skills[word(m["id"])], s)
	}
	return w, nil
}

// camel gives members their names in camelCase where they are in snake_case.
func camel(v any) {
	switch v := v.(type) {
	case fields:
		for _, name := range slices.Collect(maps.Keys(v)) {
			camel(v[name])
			parts := strings.Split(name, "_")
			for i := 1; i < len(parts); i++ {
				parts[i] = strings.ToUpper(parts[i][:1]) + parts[i][1:]
			}
			v[strings.Join(parts, "")] = v[name]
		}
	case []any:
		for _, item := range v {
			camel(item)
		}
	}
}

func word(v any) string {
	s, _ := v.(string)
	return s
}

func items(v any) []any {
	list, _ := v.([]any)
	return list
}

// isThere is false for what counts as absent.
func isThere(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case string:
		return v != ""
	case []any:
		return len(v) > 0
	}
	return true
}

// readDoors reads the addresses of both generations, those of 1.0 first.
func (w *witness) readDoors(doc fields) {
	card := word(doc["protocolVersion"])
	for _, x := range items(doc["supportedInterfaces"]) {
		if m, ok := x.(fields); ok {
			w.open(m, []string{"protocolBinding", "transport"}, card)
		}
	}
	old := "0.3"
	if strings.HasPrefix(minor(card), "0.") {
		old = card
	}
	if u := word(doc["url"]); u != "" {
		known := slices.ContainsFunc(w.doors, func(d door) bool { return place("", d.url) == place("", u) }) ||
			slices.ContainsFunc(items(doc["additionalInterfaces"]), func(x any) bool {
				m, _ := x.(fields)
				return place("", word(m["url"])) == place("", u)
			})
		if t := doc["preferredTransport"]; t != nil && t != "" {
			w.open(fields{"url": u, "transport": t}, []string{"transport"}, old)
		} else if !known {
			w.open(fields{"url": u, "transport": "JSONRPC"}, []string{"transport"}, old)
		}
	}
	for _, x := range items(doc["additionalInterfaces"]) {
		if m, ok := x.(fields); ok {
			w.open(m, []string{"transport", "protocolBinding"}, old)
		}
	}
}

func firstWord(v any, or string) string {
	if s := word(v); s != "" {
		return s
	}
	return or
}

// open adds a door. Where something of it is of another type, nobody answers.
func (w *witness) open(m fields, binding []string, version string) {
	for _, name := range []string{"url", "protocolBinding", "transport", "protocolVersion", "tenant"} {
		if _, ok := m[name].(string); m[name] != nil && !ok && (name != binding[len(binding)-1] || m[binding[0]] == nil) {
			return
		}
	}
	b := word(m[binding[0]])
	if m[binding[0]] == nil {
		b = word(m[binding[len(binding)-1]])
	}
	if u := word(m["url"]); b != "" && isAddress(b, u) {
		w.doors = append(w.doors, door{u, b, minor(firstWord(m["protocolVersion"], version)), word(m["tenant"])})
	}
}

// minor is Major.Minor of a version; "" for what is none.
func minor(version string) string {
	parts := strings.Split(version, ".")
	if len(parts) < 2 || len(parts) > 3 {
		return ""
	}
	for _, p := range parts {
		if p == "" || strings.Trim(p, "0123456789") != "" {
			return ""
		}
	}
	return parts[0] + "." + parts[1]
}

func isAddress(binding, u string) bool {
	p, err := url.Parse(u)
	if err == nil && (p.Scheme == "http" || p.Scheme == "https") && p.Hostname() != "" {
		return true
	}
	host, port, ok := strings.Cut(u, ":")
	return binding == "GRPC" && ok && host != "" && strings.Trim(port, "0123456789") == ""
}

// place is what two spellings of one address share.
func place(binding, u string) string {
	if binding == "GRPC" && !strings.Contains(u, "://") {
		u = "https://" + u
	}
	p, err := url.Parse(u)
	if err != nil || p.Host == "" {
		return u
	}
	p.Host = strings.ToLower(p.Host)
	if port := map[string]string{"http": ":80", "https": ":443"}[p.Scheme]; port != "" {
		p.Host = strings.TrimSuffix(p.Host, port)
	}
	return p.String()
}

// origin is where an address is, without path and query.
func origin(binding, u string) string {
	p, err := url.Parse(place(binding, u))
	if err != nil {
		return u
	}
	return p.Scheme + "://" + p.Host
}

// readModes reads the skill's own list, else the inherited one. An entry that
// is empty names nothing.
func readModes(own, inherited any, broken bool) ([]string, bool) {
	for _, v := range []any{own, inherited} {
		list, ok := v.([]any)
		if v != nil && !ok {
			return nil, true
		}
		var modes []string
		for _, m := range list {
			s, ok := m.(string)
			if !ok {
				return nil, true
			}
			if s != "" {
				modes = append(modes, s)
			}
		}
		if len(modes) > 0 {
			return modes, broken
		}
	}
	return nil, broken
}

func readSchemes(v any) map[string]credential {
	out := map[string]credential{}
	m, _ := v.(fields)
	for name, def := range m {
		if def != nil {
			out[name] = readScheme(def)
		}
	}
	return out
}

// readScheme reads a definition in its wrapper, or in the flat form of 0.3. Where
// both are there they say the same.
func readScheme(def any) credential {
	d, ok := def.(fields)
	if !ok {
		return credential{unknown: true}
	}
	var found []credential
	for wrapper, kind := range map[string]string{
		"apiKeySecurityScheme": "apiKey", "httpAuthSecurityScheme": "http", "oauth2SecurityScheme": "oauth2",
		"openIdConnectSecurityScheme": "openIdConnect", "mtlsSecurityScheme": "mutualTLS",
	} {
		if d[wrapper] == nil {
			continue
		}
		inner, ok := d[wrapper].(fields)
		if !ok {
			return credential{unknown: true}
		}
		found = append(found, readCredential(kind, inner))
	}
	switch len(found) {
	case 0:
		return readCredential(word(d["type"]), d)
	case 1:
		return found[0]
	}
	return credential{unknown: true}
}

// readCredential reads the members of one kind. What is missing that a client
// could not do without, or of another type, makes it unknown.
func readCredential(kind string, d fields) credential {
	c := credential{kind: kind, origins: map[string]string{}}
	switch kind {
	case "apiKey":
		c.place, c.name = c.needs(d, "location", "in"), c.needs(d, "name")
		if c.place == "header" {
			c.name = strings.ToLower(c.name) // the names of headers have no case
		}
		c.unknown = c.unknown || !slices.Contains([]string{"header", "query", "cookie"}, c.place)
	case "http":
		c.name = strings.ToLower(c.needs(d, "scheme"))
	case "oauth2":
		c.readFlows(d["flows"])
		c.address("metadata", d["oauth2MetadataUrl"])
	case "openIdConnect":
		c.needs(d, "openIdConnectUrl")
		c.address("oidc", d["openIdConnectUrl"])
	case "mutualTLS":
	default:
		c.unknown = true
	}
	return c
}

// needs reads the first of the members that is there.
func (c *credential) needs(d fields, names ...string) string {
	for _, name := range names {
		if d[name] != nil {
			c.unknown = c.unknown || word(d[name]) == ""
			return word(d[name])
		}
	}
	c.unknown = true
	return ""
}

func (c *credential) readFlows(v any) {
	flows, ok := v.(fields)
	c.unknown = c.unknown || !ok
	for _, grant := range []string{"authorizationCode", "clientCredentials", "deviceCode", "implicit", "password"} {
		if flows[grant] == nil {
			continue
		}
		f, ok := flows[grant].(fields)
		_, isFlag := f["pkceRequired"].(bool)
		_, isMap := f["scopes"].(fields)
		c.unknown = c.unknown || !ok || f["pkceRequired"] != nil && !isFlag || f["scopes"] != nil && !isMap
		c.grants = append(c.grants, grant)
		c.urls += fmt.Sprintln(grant, f["pkceRequired"] == true)
		for _, member := range []string{"authorizationUrl", "tokenUrl", "deviceAuthorizationUrl", "refreshUrl"} {
			c.address(grant+" "+member, f[member])
		}
	}
	c.unknown = c.unknown || len(c.grants) == 0
}

func (c *credential) address(what string, v any) {
	u, ok := v.(string)
	c.unknown = c.unknown || v != nil && !ok
	if u != "" {
		c.origins[what] = origin("", u)
		c.urls += what + " " + u + "\n"
	}
}

// is reports whether a credential got for one scheme is what the other takes.
func (c credential) is(o credential) bool {
	if c.unknown || o.unknown || c.kind != o.kind || c.place != o.place || c.name != o.name {
		return false
	}
	return c.kind != "oauth2" || slices.ContainsFunc(c.grants, func(g string) bool { return slices.Contains(o.grants, g) })
}

// readWays reads a list of requirements; nil where there is none.
func readWays(schemes map[string]credential, declared, legacy any) []way {
	v := declared
	if !isThere(v) {
		v = legacy
	}
	if !isThere(v) {
		return nil
	}
	if items(v) == nil {
		return []way{{unknown: true}}
	}
	var ways []way
	for _, x := range items(v) {
		ways = append(ways, readWay(schemes, x))
	}
	return ways
}

// readWay reads one entry. An empty one asks for nothing; one that cannot be
// read asks for something that nobody knows.
func readWay(schemes map[string]credential, x any) way {
	nobodyKnows := way{unknown: true}
	m, ok := x.(fields)
	if ok && m["schemes"] != nil {
		m, ok = m["schemes"].(fields)
	}
	if !ok {
		return nobodyKnows
	}
	w := way{asks: map[string]asked{}}
	for name, v := range m {
		if name == "schemes" && v == nil {
			continue
		}
		if o, ok := v.(fields); ok {
			if v = o["list"]; v == nil {
				v = []any{}
			}
		}
		scopes, ok := v.([]any)
		if !ok {
			return nobodyKnows
		}
		c, declared := schemes[name]
		w.unknown = w.unknown || !declared || c.unknown
		a := asked{credential: c}
		for _, s := range scopes {
			name, ok := s.(string)
			if !ok {
				return nobodyKnows
			}
			a.scopes = append(a.scopes, name)
		}
		w.asks[name] = a
	}
	return w
}

// A request is one call as it reaches the witness.
type request struct {
	door
	operation   string // "send", "stream" or "push"
	skill       string
	sends       string
	accepts     []string
	extensions  []string
	holds       func(w way, all []way) bool // whether the caller can meet a way
	sameMode    func(a, b string) bool      // what both sides take for one media type
	needsActive []string                    // extensions that the answer must have activated
}

// answer refuses a request with the reason, or returns nil.
func (w *witness) answer(r request) error {
	if !slices.ContainsFunc(w.doors, func(d door) bool {
		return place(d.binding, d.url) == place(r.binding, r.url) && d.binding == r.binding && d.version == r.version && d.tenant == r.tenant
	}) {
		return fmt.Errorf("nobody answers %+v", r.door)
	}
	for uri, required := range w.extensions {
		if required && !slices.Contains(r.extensions, uri) {
			return fmt.Errorf("ExtensionSupportRequiredError: %s", uri)
		}
	}
	for _, uri := range r.needsActive {
		if _, ok := w.extensions[uri]; !ok {
			return fmt.Errorf("the extension %s is not activated", uri)
		}
	}
	if r.operation == "stream" && !w.streaming {
		return fmt.Errorf("UnsupportedOperationError: streaming")
	}
	if r.operation == "push" && !w.push {
		return fmt.Errorf("PushNotificationNotSupportedError")
	}
	return w.serve(r)
}

func (w *witness) serve(r request) error {
	if n := len(w.skills[r.skill]); n != 1 {
		return fmt.Errorf("%d skills are called %q", n, r.skill)
	}
	s := w.skills[r.skill][0]
	if s.broken {
		return fmt.Errorf("the skill %q cannot be read", r.skill)
	}
	takes := func(list []string, m string) bool {
		return list == nil || slices.ContainsFunc(list, func(t string) bool { return r.sameMode(t, m) })
	}
	t, _, _ := strings.Cut(r.sends, "/")
	ofRange := slices.ContainsFunc(s.input, func(m string) bool { return m == "*/*" || strings.EqualFold(m, t+"/*") })
	if !takes(s.input, r.sends) && !(ofRange && strings.Contains(r.sends, "/")) {
		return fmt.Errorf("ContentTypeNotSupportedError: %s", r.sends)
	}
	if !slices.ContainsFunc(r.accepts, func(m string) bool { return takes(s.output, m) }) {
		return fmt.Errorf("none of %q is offered", r.accepts)
	}
	if !slices.ContainsFunc(s.ways, func(w way) bool { return r.holds(w, s.ways) }) {
		return fmt.Errorf("401 Unauthorized: %+v", s.ways)
	}
	return nil
}
