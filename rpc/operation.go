package rpc

import (
	"net/http"
	"strings"

	"github.com/a2alock/a2alock/internal/reason"
)

// The operations of A2A (5.3), by their names of 1.0.
const (
	SendMessage                      = "SendMessage"
	SendStreamingMessage             = "SendStreamingMessage"
	GetTask                          = "GetTask"
	ListTasks                        = "ListTasks"
	CancelTask                       = "CancelTask"
	SubscribeToTask                  = "SubscribeToTask"
	CreateTaskPushNotificationConfig = "CreateTaskPushNotificationConfig"
	GetTaskPushNotificationConfig    = "GetTaskPushNotificationConfig"
	ListTaskPushNotificationConfigs  = "ListTaskPushNotificationConfigs"
	DeleteTaskPushNotificationConfig = "DeleteTaskPushNotificationConfig"
	GetExtendedAgentCard             = "GetExtendedAgentCard"
)

// A wire is how an operation goes over a binding in a version.
type wire struct {
	method string // of JSON-RPC
	verb   string // of HTTP
	path   string // below the base; {name} is a member of params
}

// streams is whether events are the answer.
func (w wire) streams() bool {
	return strings.HasSuffix(w.path, ":stream") || strings.HasSuffix(w.path, ":subscribe")
}

// isVoid is whether the answer may be nothing.
func (w wire) isVoid() bool { return w.verb == http.MethodDelete }

// about is what the statuses of its errors can be about.
func (w wire) about() reason.About {
	return reason.About{
		Task:   strings.Contains(w.path, "/tasks/"),
		Push:   strings.Contains(w.path, "/pushNotificationConfigs"),
		Legacy: strings.HasPrefix(w.path, "/v1/"),
	}
}

// current are the wires of 1.0. Subscribing is a GET in the proto and a POST in
// the specification's table; POST is what every SDK takes.
var current = map[string]wire{
	SendMessage:                      {"SendMessage", http.MethodPost, "/message:send"},
	SendStreamingMessage:             {"SendStreamingMessage", http.MethodPost, "/message:stream"},
	GetTask:                          {"GetTask", http.MethodGet, "/tasks/{id}"},
	ListTasks:                        {"ListTasks", http.MethodGet, "/tasks"},
	CancelTask:                       {"CancelTask", http.MethodPost, "/tasks/{id}:cancel"},
	SubscribeToTask:                  {"SubscribeToTask", http.MethodPost, "/tasks/{id}:subscribe"},
	CreateTaskPushNotificationConfig: {"CreateTaskPushNotificationConfig", http.MethodPost, "/tasks/{taskId}/pushNotificationConfigs"},
	GetTaskPushNotificationConfig:    {"GetTaskPushNotificationConfig", http.MethodGet, "/tasks/{taskId}/pushNotificationConfigs/{id}"},
	ListTaskPushNotificationConfigs:  {"ListTaskPushNotificationConfigs", http.MethodGet, "/tasks/{taskId}/pushNotificationConfigs"},
	DeleteTaskPushNotificationConfig: {"DeleteTaskPushNotificationConfig", http.MethodDelete, "/tasks/{taskId}/pushNotificationConfigs/{id}"},
	GetExtendedAgentCard:             {"GetExtendedAgentCard", http.MethodGet, "/extendedAgentCard"},
}

// former are the wires of 0.3 (and of 0.2, which has the same names). Tasks could
// not be listed over JSON-RPC.
var former = map[string]wire{
	SendMessage:                      {"message/send", http.MethodPost, "/v1/message:send"},
	SendStreamingMessage:             {"message/stream", http.MethodPost, "/v1/message:stream"},
	GetTask:                          {"tasks/get", http.MethodGet, "/v1/tasks/{id}"},
	ListTasks:                        {"", http.MethodGet, "/v1/tasks"},
	CancelTask:                       {"tasks/cancel", http.MethodPost, "/v1/tasks/{id}:cancel"},
	SubscribeToTask:                  {"tasks/resubscribe", http.MethodPost, "/v1/tasks/{id}:subscribe"},
	CreateTaskPushNotificationConfig: {"tasks/pushNotificationConfig/set", http.MethodPost, "/v1/tasks/{taskId}/pushNotificationConfigs"},
	GetTaskPushNotificationConfig:    {"tasks/pushNotificationConfig/get", http.MethodGet, "/v1/tasks/{id}/pushNotificationConfigs/{pushNotificationConfigId}"},
	ListTaskPushNotificationConfigs:  {"tasks/pushNotificationConfig/list", http.MethodGet, "/v1/tasks/{id}/pushNotificationConfigs"},
	DeleteTaskPushNotificationConfig: {"tasks/pushNotificationConfig/delete", http.MethodDelete, "/v1/tasks/{id}/pushNotificationConfigs/{pushNotificationConfigId}"},
	GetExtendedAgentCard:             {"agent/getAuthenticatedExtendedCard", http.MethodGet, "/v1/card"},
}

func isLegacy(version string) bool { return strings.HasPrefix(version, "0.") }

// wireOf returns the wire of an operation, or why there is none.
func wireOf(t Target, operation string) (w wire, why string) {
	wires := current
	major, _, _ := strings.Cut(t.Version, ".")
	switch {
	case isLegacy(t.Version):
		wires = former
	case major != "1":
		return wire{}, "version " + quote(t.Version) + " is not known"
	}
	w, ok := wires[operation]
	switch {
	case !ok:
		return wire{}, "there is no such operation"
	case t.Binding != jsonRPC && t.Binding != httpJSON && t.Binding != overGRPC:
		return wire{}, "binding " + quote(t.Binding) + " is not known"
	case t.Binding == jsonRPC && w.method == "":
		return wire{}, "JSON-RPC has no such method before 1.0"
	case t.Binding == overGRPC && isLegacy(t.Version):
		return wire{}, "GRPC is spoken from 1.0 on"
	}
	return w, ""
}
