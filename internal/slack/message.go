package slack

import (
	"fmt"
	"net/url"
	"strings"
	"unicode/utf16"

	goslack "github.com/slack-go/slack"
)

// Slack's limits, in UTF-16 units, the most that anyone could count. maxTotal
// is ours: Slack refuses messages at about 13,000 without saying where.
const (
	maxHeader  = 150
	maxSection = 3000
	maxBlocks  = 50
	maxTotal   = 12000
	// maxURL is a link's.
	maxURL = 1000
)

// A Message is what a channel shows: the title, and below it, with a colour at
// the side, sections. All texts are plain; escaping them is done here.
type Message struct {
	Title string // one line
	Over  bool   // the title is struck through
	Color string // "#rrggbb"
	// Head and Foot are always shown whole, so they are kept short. Of List as
	// many are shown as fit, and then how many Things are left out.
	Head, List, Foot []Section
	Things           string // what List holds, in the plural
	More             int    // how many were left out of List before
	Broadcast        bool   // a bot's message in a thread shows in the channel too
}

// A Section is a label and a text.
type Section struct {
	Label, Text string
	Code        bool
	Link        string // an URL of our own, that Text links to
}

// text is what notifications show, and clients that know no blocks.
func (m *Message) text() string { return cut(m.Title, maxHeader) }

func (m *Message) top() []goslack.Block {
	if m.Over {
		return []goslack.Block{section("~" + cut(strings.ReplaceAll(m.Title, "~", "∼"), maxHeader) + "~")}
	}
	title := goslack.NewTextBlockObject(goslack.PlainTextType, m.text(), false, false)
	title.Emoji = new(false)
	return []goslack.Block{goslack.NewHeaderBlock(title)}
}

func (m *Message) attachment() goslack.Attachment {
	var head, list, foot []string
	left := maxTotal
	for _, s := range m.Head {
		head = append(head, s.mrkdwn(maxTotal/8))
		left -= length(head[len(head)-1])
	}
	for _, s := range m.Foot {
		foot = append(foot, s.mrkdwn(maxTotal/8))
		left -= length(foot[len(foot)-1])
	}
	room := maxBlocks - 1 - len(head) - len(foot) // one for what is left out
	more := m.More
	for i, s := range m.List {
		text := s.mrkdwn(maxSection)
		if left -= length(text); left < 0 || len(list) == room {
			more += len(m.List) - i
			break
		}
		list = append(list, text)
	}
	if more > 0 {
		list = append(list, escape(fmt.Sprintf("… %d more %s", more, m.Things)))
	}
	a := goslack.Attachment{Color: m.Color}
	for _, text := range append(append(head, list...), foot...) {
		a.Blocks.BlockSet = append(a.Blocks.BlockSet, section(text))
	}
	return a
}

func (m *Message) options() []goslack.MsgOption {
	return []goslack.MsgOption{
		goslack.MsgOptionText(m.text(), false), // escaped already
		goslack.MsgOptionBlocks(m.top()...),
		goslack.MsgOptionAttachments(m.attachment()),
		goslack.MsgOptionDisableLinkUnfurl(),
		goslack.MsgOptionDisableMediaUnfurl(),
		goslack.MsgOptionParse(false),
	}
}

// section is a block of text that Slack takes as it stands: addresses and
// names in it become no links.
func section(mrkdwn string) goslack.Block {
	return goslack.NewSectionBlock(goslack.NewTextBlockObject(goslack.MarkdownType, mrkdwn, false, true), nil, nil)
}

func (s Section) mrkdwn(limit int) string {
	label := ""
	if s.Label != "" {
		label = "*" + cut(s.Label, limit/4) + "*  "
	}
	limit -= length(label)
	if s.Link != "" {
		if u := linkTarget(s.Link); u != "" {
			return label + "<" + u + "|" + cut(strings.ReplaceAll(s.Text, "|", "¦"), limit/2) + ">"
		}
	}
	if s.Code {
		return label + "`" + cut(strings.ReplaceAll(s.Text, "`", "ˋ"), limit-2) + "`"
	}
	return label + cut(s.Text, limit)
}

// linkTarget is u as a link can hold it, "" for what should be none.
func linkTarget(u string) string {
	parsed, err := url.Parse(u)
	if err != nil || parsed.Scheme != "https" && parsed.Scheme != "http" {
		return ""
	}
	u = strings.NewReplacer("<", "%3C", ">", "%3E", "|", "%7C", "&", "&amp;").Replace(parsed.String())
	if length(u) > maxURL {
		return ""
	}
	return u
}

var escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func escape(s string) string { return escapes.Replace(s) }

// length counts as the strictest of Slack's parts could.
func length(s string) int {
	n := 0
	for _, r := range s {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}

// cut escapes s, and shortens it to limit between two characters, saying how
// many are left out.
func cut(s string, limit int) string {
	if escaped := escape(s); length(escaped) <= limit {
		return escaped
	}
	const note = 20 // " … 1000000000 more"
	runes := []rune(s)
	var b strings.Builder
	size := 0
	for i, r := range runes {
		text := escape(string(r))
		if size += length(text); size > limit-note {
			return b.String() + fmt.Sprintf(" … %d more", len(runes)-i)
		}
		b.WriteString(text)
	}
	return b.String()
}
