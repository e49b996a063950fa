// Package reason names the errors of A2A, in whatever form a server sent them.
package reason

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// The reasons (A2A 5.4).
const (
	TaskNotFound                   = "TASK_NOT_FOUND"
	TaskNotCancelable              = "TASK_NOT_CANCELABLE"
	PushNotificationNotSupported   = "PUSH_NOTIFICATION_NOT_SUPPORTED"
	UnsupportedOperation           = "UNSUPPORTED_OPERATION"
	ContentTypeNotSupported        = "CONTENT_TYPE_NOT_SUPPORTED"
	InvalidAgentResponse           = "INVALID_AGENT_RESPONSE"
	ExtendedAgentCardNotConfigured = "EXTENDED_AGENT_CARD_NOT_CONFIGURED"
	ExtensionSupportRequired       = "EXTENSION_SUPPORT_REQUIRED"
	VersionNotSupported            = "VERSION_NOT_SUPPORTED"
	TaskGenerationMismatch         = "TASK_GENERATION_MISMATCH"
	ParseError                     = "PARSE_ERROR"
	InvalidRequest                 = "INVALID_REQUEST"
	MethodNotFound                 = "METHOD_NOT_FOUND"
	InvalidParams                  = "INVALID_PARAMS"
	InternalError                  = "INTERNAL_ERROR"
)

// These stand for a challenge, in the Go SDK's words.
const (
	unauthenticated = "UNAUTHENTICATED"
	unauthorized    = "UNAUTHORIZED"
)

// A name is one error under all that it is called.
type name struct {
	reason string
	code   int // of JSON-RPC
	class  string
}

// names are all that are known. The class is how Java calls it, and how the
// specification does, and in kebab case it ends a problem type.
var names = []name{
	{TaskNotFound, -32001, "TaskNotFoundError"},
	{TaskNotCancelable, -32002, "TaskNotCancelableError"},
	{PushNotificationNotSupported, -32003, "PushNotificationNotSupportedError"},
	{UnsupportedOperation, -32004, "UnsupportedOperationError"},
	{ContentTypeNotSupported, -32005, "ContentTypeNotSupportedError"},
	{InvalidAgentResponse, -32006, "InvalidAgentResponseError"},
	{ExtendedAgentCardNotConfigured, -32007, "ExtendedAgentCardNotConfiguredError"},
	{ExtensionSupportRequired, -32008, "ExtensionSupportRequiredError"},
	{VersionNotSupported, -32009, "VersionNotSupportedError"},
	{TaskGenerationMismatch, -32010, "TaskGenerationMismatchError"},
	{ParseError, -32700, "JSONParseError"},
	{InvalidRequest, -32600, "InvalidRequestError"},
	{MethodNotFound, -32601, "MethodNotFoundError"},
	{InvalidParams, -32602, "InvalidParamsError"},
	{InternalError, -32603, "InternalError"},
	{unauthenticated, -31401, ""},
	{unauthorized, -31403, ""},
}

// aliases are other words for a reason or a class.
var aliases = map[string]string{
	"UNSUPPORTED_CONTENT_TYPE": ContentTypeNotSupported, // Rust
	"JSON_PARSE":               ParseError,              // Java
	"INTERNAL":                 InternalError,           // Java
	"AUTHENTICATED_EXTENDED_CARD_NOT_CONFIGURED":  ExtendedAgentCardNotConfigured,
	"AuthenticatedExtendedCardNotConfiguredError": ExtendedAgentCardNotConfigured, // 0.3
	"ExtendedCardNotConfiguredError":              ExtendedAgentCardNotConfigured,
}

// form is how reasons are written; others are no names.
var form = regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,62}$`)

// ofReason is the reason s in the spelling of A2A; one that A2A does not know is
// as it is, and what is no reason "".
func ofReason(s string) string {
	if s = cmp.Or(aliases[s], s); form.MatchString(s) {
		return s
	}
	return ""
}

func ofCode(code int) string {
	return lookup(func(n name) bool { return n.code == code })
}

func ofClass(class string) string {
	if r := aliases[class]; r != "" || class == "" {
		return r
	}
	return lookup(func(n name) bool { return n.class == class })
}

// problems is how the URI of a problem type begins (A2A 1.0.0-rc, RFC 9457).
const problems = "https://a2a-protocol.org/errors/"

func ofProblem(uri string) string {
	kebab, ok := strings.CutPrefix(uri, problems)
	if !ok {
		return ""
	}
	s := strings.ToUpper(strings.ReplaceAll(kebab, "-", "_"))
	for _, s := range []string{s, strings.TrimSuffix(s, "_ERROR")} {
		s = cmp.Or(aliases[s], s)
		if lookup(func(n name) bool { return n.reason == s }) != "" {
			return s
		}
	}
	return ""
}

// ofStatus reads a gRPC status that nothing else explains, as far as it means one
// error alone.
func ofStatus(status string, about About) string {
	switch {
	case status == "NOT_FOUND" && about.Task:
		return TaskNotFound
	case status == "UNIMPLEMENTED": // the RPC does not exist: another package, or no A2A
		return MethodNotFound
	case status == "INVALID_ARGUMENT":
		return InvalidParams
	case status == "INTERNAL":
		return InternalError
	}
	return ""
}

// ofLegacyStatus reads the status of an answer that has a message and no name, as
// Python's of 0.3 does. A 404 says nothing of a card, nor a 502 of anything: a
// gateway answers the same.
func ofLegacyStatus(status int, about About) string {
	switch {
	case status == 404 && about.Task:
		return TaskNotFound
	case status == 409:
		return TaskNotCancelable
	case status == 415:
		return ContentTypeNotSupported
	case status == 422:
		return InvalidParams
	case status == 501 && about.Push:
		return PushNotificationNotSupported
	case status == 501:
		return UnsupportedOperation
	}
	return ""
}

// Code is JSON-RPC's code of a reason; 0 of one that A2A does not know.
func Code(reason string) int {
	if i := slices.IndexFunc(names, func(n name) bool { return n.reason == reason }); i >= 0 {
		return names[i].code
	}
	return 0
}

func lookup(is func(name) bool) string {
	if i := slices.IndexFunc(names, is); i >= 0 {
		return names[i].reason
	}
	return ""
}
