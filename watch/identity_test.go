package watch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/credential"
	"github.com/a2alock/a2alock/fetch"
	"github.com/a2alock/a2alock/internal/agenttest"
	"github.com/a2alock/a2alock/internal/extended"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
)

// sharedURL is the one agent of these tests: plain HTTP with a credential is for
// loopback alone.
const sharedURL = "http://127.0.0.1/card.json"

// A partnered agent shows each token skills of its own.
type partnered struct {
	w *world

	mu       sync.Mutex
	promises bool // that there is an extended card
	none     bool // it says -32007
	turns    bool // so does every other of its replicas
	modest   bool // the extended card does not promise that there is one
	next     bool // of its interfaces none is the client's
	calls    int
	status   int // of the extended card; 0: as it should be
	header   map[string]string
	skills   map[string]string // by token
	tokens   []string          // that arrived since the last look, "-" for none
}

// partner puts the agent into the world, with a lock of each identity.
func (w *world) partner() *partnered {
	p := &partnered{w: w, promises: true, skills: map[string]string{"token-a": "alpha", "token-b": "beta"}}
	w.agents[sharedURL] = &agentServer{answers: p.public}
	w.agents["http://127.0.0.1/rpc"] = &agentServer{answers: p.rpc}
	w.cfg.Credentials = credentials("token-a", "token-b")
	w.readAs("la", "a", "alpha")
	w.readAs("lb", "b", "beta")
	w.readAs("lp", "", "public")
	return p
}

func credentials(a, b string) []credential.Credential {
	origins := []string{"http://127.0.0.1"}
	return []credential.Credential{
		{Name: "a", Origins: origins, Kind: credential.Bearer{Token: credential.Literal(a)}},
		{Name: "b", Origins: origins, Kind: credential.Bearer{Token: credential.Literal(b)}},
	}
}

// oauth puts the agent into the world, with one lock, of an identity whose tokens
// live for a minute.
func (w *world) oauth(id string) {
	p := &partnered{w: w, promises: true, skills: map[string]string{"token-o": "alpha"}}
	w.agents[sharedURL] = &agentServer{answers: p.public}
	w.agents["http://127.0.0.1/rpc"] = &agentServer{answers: p.rpc}
	w.agents["http://127.0.0.1/token"] = &agentServer{answers: func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(rw, `{"access_token":"token-o","token_type":"Bearer","expires_in":60}`)
	}}
	w.cfg.Credentials = []credential.Credential{{Name: "o", Origins: []string{"http://127.0.0.1"}, Kind: credential.ClientCredentials{
		TokenURL: "http://127.0.0.1/token", ClientID: "us", Secret: credential.Literal("secret"),
	}}}
	w.readAs(id, "o", "alpha")
}

// readAs writes a lock that needs a skill of the shared agent.
func (w *world) readAs(id, identity, skill string) {
	w.write(id, fmt.Sprintf(`{"workflow": %q, "owner": "team", "agent": %q, "identity": %q, "requires": {"skills": {%q: {"input": ["application/json"], "output": ["application/json"]}}}}`, id, sharedURL, identity, skill))
}

func (p *partnered) card(skill string) []byte {
	promises := p.promises && (skill == "public" || !p.modest)
	travel := agenttest.TravelCard("http://127.0.0.1")
	if p.next {
		travel = bytes.ReplaceAll(travel, []byte(`"1.0"`), []byte(`"2.0"`))
	}
	return agenttest.Merge(travel, fmt.Sprintf(`{"securityRequirements": null, "capabilities": {"extendedAgentCard": %v},
		"skills": [{"id": %q, "name": "n", "description": "d", "tags": ["t"]}]}`, promises, skill))
}

func (p *partnered) change(do func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	do()
}

func (p *partnered) arrived(r *http.Request) string {
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	p.tokens = append(p.tokens, strings.TrimPrefix(r.URL.Path, "/")+" "+token)
	return token
}

func (p *partnered) public(rw http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.arrived(r)
	rw.Header().Set("Content-Type", "application/json")
	tag := fmt.Sprintf(`"public-%v-%v"`, p.promises, p.next)
	rw.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		rw.WriteHeader(http.StatusNotModified)
		return
	}
	_, _ = rw.Write(p.card("public"))
}

func (p *partnered) rpc(rw http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	skill, ok := p.skills[p.arrived(r)]
	for k, v := range p.header {
		rw.Header().Set(k, v)
	}
	switch {
	case p.status != 0:
		rw.WriteHeader(p.status)
		return
	case !ok:
		rw.WriteHeader(http.StatusUnauthorized)
		return
	}
	var call struct{ ID json.RawMessage }
	body, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(body, &call)
	rw.Header().Set("Content-Type", "application/json")
	p.calls++
	if p.none || p.turns && p.calls%2 == 0 {
		_, _ = fmt.Fprintf(rw, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32007,"message":"none"}}`, call.ID)
		return
	}
	_, _ = fmt.Fprintf(rw, `{"jsonrpc":"2.0","id":%s,"result":%s}`, call.ID, p.card(skill))
}

// trouble is the state that keeps a lock from being judged; "": it is.
func (w *world) trouble(id string) card.State {
	w.t.Helper()
	if x := w.state(id).Trouble; x != nil {
		return x.State
	}
	return ""
}

// agentOf is what the store has of the agent of a lock, and of its bodies.
func (w *world) agentOf(id string) (a store.Agent, bodies []string) {
	w.t.Helper()
	w.read(func(tx *store.Tx) error {
		l, _, err := tx.Lock(id)
		if err != nil {
			return err
		}
		if a, _, err = tx.Agent(l.Agent); err != nil {
			return err
		}
		versions, _, err := tx.CardVersions(a.ID, store.Page{Limit: 100})
		if err != nil {
			return err
		}
		for _, v := range versions {
			body, _, err := tx.Body(v.Body)
			if err != nil {
				return err
			}
			bodies = append(bodies, string(body))
		}
		return nil
	})
	return a, bodies
}

func TestIdentitiesOfOneAgent(t *testing.T) {
	run(t, func(w *world) {
		w.every("@every 5m")
		p := w.partner()
		w.start()
		w.pass(11 * time.Minute)
		for _, id := range []string{"la", "lb", "lp"} {
			w.expect(id, verdict.Compatible, verdict.Fresh)
		}
		// What one is shown is in nothing that is kept of another.
		own := map[string]string{"la": "alpha", "lb": "beta", "lp": "public"}
		for id, skill := range own {
			a, bodies := w.agentOf(id)
			if len(bodies) != 1 || a.CardDigest == "" || a.Lost != "" {
				t.Fatalf("%s: %+v, %d cards", id, a, len(bodies))
			}
			for _, other := range own {
				if strings.Contains(strings.Join(bodies, ""), `"`+other+`"`) != (other == skill) {
					t.Errorf("%s: the cards that are kept: %s", id, bodies)
				}
			}
		}
		p.change(func() {
			slices.Sort(p.tokens)
			want := []string{"card.json ", "card.json token-a", "card.json token-b", "rpc token-a", "rpc token-b"}
			if got := slices.Compact(p.tokens); !slices.Equal(got, want) {
				t.Errorf("arrived: %q, want %q", got, want)
			}
		})

		// A's token expires: that is nothing of the card, and nothing of B.
		p.change(func() { delete(p.skills, "token-a") })
		w.pass(time.Hour)
		if w.trouble("la") != fetch.AuthRequired || w.state("la").Verdict != verdict.Compatible || len(w.state("la").Findings) != 0 {
			t.Errorf("A's token expired: %+v", w.state("la"))
		}
		for _, id := range []string{"lb", "lp"} {
			if w.expect(id, verdict.Compatible, verdict.Fresh); w.trouble(id) != "" {
				t.Errorf("%s is in trouble: %s", id, w.trouble(id))
			}
		}
		p.change(func() { p.skills["token-a"] = "alpha" })
		w.pass(10 * time.Minute)
		if w.expect("la", verdict.Compatible, verdict.Fresh); w.trouble("la") != "" {
			t.Errorf("A is back, and in trouble: %s", w.trouble("la"))
		}

		// B is shown another skill.
		p.change(func() { p.skills["token-b"] = "gamma" })
		w.pass(15 * time.Minute)
		w.expect("la", verdict.Compatible, verdict.Fresh)
		w.expect("lp", verdict.Compatible, verdict.Fresh)
		w.expect("lb", verdict.Breaking, verdict.Fresh)
		if _, bodies := w.agentOf("lb"); len(bodies) != 2 {
			t.Errorf("B has %d cards, want both", len(bodies))
		}
	})
}

// rules are those of a lock's findings.
func (w *world) rules(id string) (list []string) {
	for _, f := range w.state(id).Findings {
		list = append(list, f.Rule)
	}
	return list
}

func TestExtendedCardIsLost(t *testing.T) {
	for name, lose := range map[string]func(p *partnered){
		"the flag":       func(p *partnered) { p.promises = false },
		"not configured": func(p *partnered) { p.none = true },
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(w *world) {
				w.every("@every 5m")
				p := w.partner()
				w.start()
				w.pass(11 * time.Minute)
				p.change(func() { lose(p) })
				w.pass(15 * time.Minute)
				lost := func(when string) {
					t.Helper()
					for _, id := range []string{"la", "lb"} {
						if w.expect(id, verdict.Breaking, verdict.Fresh); !slices.Equal(w.rules(id), []string{"extended-card-lost"}) {
							t.Errorf("%s: %s has the findings %q", when, id, w.rules(id))
						}
						if a, _ := w.agentOf(id); a.Lost == "" {
							t.Errorf("%s: nothing is remembered of it: %+v", when, a)
						}
					}
					w.expect("lp", verdict.Compatible, verdict.Fresh)
				}
				lost("at once")
				before := w.kinds("la")
				w.pass(3 * time.Hour) // most answers are 304
				lost("hours later")
				w.restart()
				lost("after a restart")
				w.policy.MaxLockAge = time.Hour // all are judged anew, and nobody is asked
				p.change(func() { p.tokens = nil })
				w.reload()
				lost("after a reload")
				p.change(func() {
					if len(p.tokens) > 0 {
						t.Errorf("the reload asked: %q", p.tokens)
					}
				})
				if now := w.kinds("la"); now != before {
					t.Errorf("events: %s, then %s", before, now)
				}
				p.change(func() { p.promises, p.none = true, false })
				w.pass(time.Hour)
				w.expect("la", verdict.Compatible, verdict.Fresh)
				if a, _ := w.agentOf("la"); a.Lost != "" {
					t.Errorf("it is back, and still %+v", a)
				}
			})
		})
	}
}

// An extended card that is byte for byte the public one is there, or lost, all the
// same.
func TestExtendedCardLikeThePublicOne(t *testing.T) {
	run(t, func(w *world) {
		w.every("@every 5m")
		p := w.partner()
		p.skills["token-a"] = "public"
		w.readAs("la", "a", "public")
		w.start()
		w.pass(11 * time.Minute)
		w.expect("la", verdict.Compatible, verdict.Fresh)
		was, _ := w.agentOf("la")
		p.change(func() { p.none = true })
		w.pass(15 * time.Minute)
		w.expect("la", verdict.Breaking, verdict.Fresh)
		if now, _ := w.agentOf("la"); now.CardDigest != was.CardDigest || now.Lost == "" {
			t.Errorf("it was %+v, and is %+v", was, now)
		}
		p.change(func() { p.none = false })
		w.pass(time.Hour)
		w.expect("la", verdict.Compatible, verdict.Fresh)
	})
}

// Where replicas disagree on whether there is an extended card, each answer is
// judged as what it is.
func TestExtendedCardOfSomeReplicas(t *testing.T) {
	for _, calls := range []int{0, 1} { // whichever of them answers last
		run(t, func(w *world) {
			w.every("@every 60s")
			p := w.partner()
			for _, id := range []string{"lb", "lp"} {
				w.remove(id)
			}
			w.start()
			w.pass(11 * time.Minute)
			w.expect("la", verdict.Compatible, verdict.Fresh)
			p.change(func() { p.turns, p.calls = true, calls })
			w.pass(15 * time.Minute)
			w.expect("la", verdict.Compatible, verdict.Disputed)
			w.policy.MaxLockAge = time.Hour // all are judged anew, and nobody is asked
			w.reload()
			w.pass(time.Second)
			for _, x := range w.state("la").Dispute.Answers {
				for _, f := range x.Findings {
					if f.Rule != "extended-card-lost" {
						t.Errorf("in dispute: %+v", f)
					}
				}
			}
			w.pass(time.Hour)
			if got := w.rules("la"); !slices.Equal(got, []string{"extended-card-lost", "replicas-disagree"}) {
				t.Errorf("after the grace: %q", got)
			}
		})
	}
}

// An extended card is that whatever it says of itself, also when it is judged
// again, and its profile is the one that a lock of it records.
func TestExtendedCardThatDoesNotPromiseItself(t *testing.T) {
	run(t, func(w *world) {
		w.every("@every 5m")
		p := w.partner()
		p.modest = true
		w.start()
		w.pass(11 * time.Minute)
		read := extended.Mark(compile.Read(p.card("alpha"), &w.cfg.Client, card.Options{}))
		want := read.Profile.Digest([]string{"alpha"})
		check := func(when string) {
			t.Helper()
			w.expect("la", verdict.Compatible, verdict.Fresh)
			if s := w.state("la"); len(s.Findings) > 0 || s.ProfileDigest != want {
				t.Errorf("%s: %q with %s, want nothing with %s", when, w.rules("la"), s.ProfileDigest, want)
			}
			text := string(w.decide("la", "alpha").Plan)
			if !strings.Contains(text, `"GetExtendedAgentCard":"allowed"`) {
				t.Errorf("%s: the plan is %s", when, text)
			}
		}
		check("at first")
		w.restart()
		w.policy.MaxLockAge = time.Hour
		w.reload()
		check("judged again")
		p.change(func() { p.none = true })
		w.pass(15 * time.Minute)
		if got := w.rules("la"); !slices.Equal(got, []string{"extended-card-lost"}) {
			t.Errorf("when it is gone: %q", got)
		}
	})
}

// An extended card that may not be kept is on no disk, whatever its public card says.
func TestExtendedCardThatMayNotBeKept(t *testing.T) {
	run(t, func(w *world) {
		w.every("@every 5m")
		p := w.partner()
		p.header = map[string]string{"Cache-Control": "no-store"}
		w.start()
		w.pass(11 * time.Minute)
		w.expect("la", verdict.Compatible, verdict.Fresh)
		if a, _ := w.agentOf("la"); a.Body != "" || a.CardDigest == "" {
			t.Errorf("kept: %+v", a)
		}
		if a, _ := w.agentOf("lp"); a.Body == "" {
			t.Errorf("the public card is not kept: %+v", a)
		}
		w.restart()
		w.pass(11 * time.Minute)
		w.expect("la", verdict.Compatible, verdict.Fresh)
	})
}

// Other credentials may be somebody else's.
func TestReloadOfCredentialsAsksAgain(t *testing.T) {
	run(t, func(w *world) {
		w.every("@every 12h")
		p := w.partner()
		w.start()
		w.pass(13 * time.Hour)
		w.lull(time.Hour)
		w.pass(10 * time.Second) // what is under way lands
		p.change(func() { p.skills["new-a"], p.tokens = "alpha", nil; delete(p.skills, "token-a") })
		w.cfg.Credentials = credentials("new-a", "token-b")
		w.reload()
		w.pass(5 * time.Second)
		p.change(func() {
			slices.Sort(p.tokens)
			if want := []string{"card.json new-a", "card.json token-b", "rpc new-a", "rpc token-b"}; !slices.Equal(p.tokens, want) {
				t.Errorf("the reload asked %q, want %q", p.tokens, want)
			}
			p.tokens = nil
		})
		w.reload() // of the same
		w.pass(5 * time.Second)
		p.change(func() {
			if len(p.tokens) > 0 {
				t.Errorf("a reload of the same asked %q", p.tokens)
			}
		})
		w.expect("la", verdict.Compatible, verdict.Fresh)

		// One that is gone from the configuration leaves its agents where they are.
		w.cfg.Credentials = w.cfg.Credentials[:1]
		w.reload()
		w.pass(time.Minute)
		if s := w.state("lb"); w.trouble("lb") != fetch.Unreachable || s.Verdict != verdict.Compatible || !strings.Contains(s.Gone, `no credential is called "b"`) {
			t.Errorf("without its credential: %+v, %s", s, s.Gone)
		}
		if w.engine.Counts().Silent {
			t.Error("a credential that is missing is taken for an outage")
		}
	})
}

// What the interface asks for is heeded, and says nothing against the network.
func TestInterfaceThatAsksToBeLeftAlone(t *testing.T) {
	run(t, func(w *world) {
		w.every("@every 5m")
		p := w.partner()
		w.start()
		w.pass(11 * time.Minute)
		p.change(func() {
			p.status, p.header, p.tokens = http.StatusServiceUnavailable, map[string]string{"Retry-After": "3600"}, nil
		})
		w.pass(50 * time.Minute)
		p.change(func() {
			calls := slices.DeleteFunc(slices.Clone(p.tokens), func(s string) bool { return strings.HasPrefix(s, "card") })
			// The first to come is refused; a pause of the URL is one for both.
			if len(calls) == 0 || len(calls) > 2 {
				t.Errorf("calls while it is to be left alone: %q", calls)
			}
			p.status = 0
		})
		if w.trouble("lp") != "" {
			t.Errorf("the public card is in trouble: %s", w.trouble("lp"))
		}
		w.pass(2 * time.Hour)
		for _, id := range []string{"la", "lb", "lp"} {
			w.expect(id, verdict.Compatible, verdict.Fresh)
		}
		synctest.Wait()
	})
}
